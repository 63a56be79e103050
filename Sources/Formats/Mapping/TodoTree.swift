// To-dos below to-dos: relations give edges from a child to its parent by UID, in any order, and
// a tree is built from them in a second pass. Edges that close a circle are refused.

/// The parents of to-dos, without circles.
package struct TodoTree {
    /// One relation.
    package struct Edge: Hashable, Sendable {
        /// The UID of the child.
        package var child: String
        /// The UID of the parent.
        package var parent: String

        /// An edge.
        package init(child: String, parent: String) {
            self.child = child
            self.parent = parent
        }
    }

    /// A relation that was refused, and the circle it would close.
    package struct Refusal: Sendable {
        /// The relation.
        package var edge: Edge
        /// The UIDs from the child round to the child again.
        package var path: [String]

        /// The circle for people, shortened when it is long.
        package var text: String {
            let shown = path.count > 12 ? path.prefix(8) + ["…"] + path.suffix(3) : path[...]
            return shown.joined(separator: " → ")
        }
    }

    /// Relations refused, in the order they were met.
    package private(set) var refused: [Refusal] = []
    /// The parent of each child: the first of several that was not refused.
    package private(set) var parents: [String: String] = [:]

    /// Looks at all relations of a file.
    package init(_ edges: [Edge]) {
        var number: [String: Int] = [:]
        var names: [String] = []
        func id(_ name: String) -> Int {
            if let known = number[name] { return known }
            number[name] = names.count
            names.append(name)
            return names.count - 1
        }
        var above: [[(node: Int, edge: Int)]] = []
        for (i, edge) in edges.enumerated() {
            let child = id(edge.child)
            let parent = id(edge.parent)
            while above.count < names.count { above.append([]) }
            above[child].append((parent, i))
        }
        // Depth first from every node, with a stack of our own: an edge back into the stack
        // closes a circle.
        var state = [UInt8](repeating: 0, count: names.count)
        var isRefused = Set<Int>()
        for start in names.indices where state[start] == 0 {
            var stack: [(node: Int, next: Int)] = [(start, 0)]
            state[start] = 1
            while let top = stack.last {
                guard top.next < above[top.node].count else {
                    state[top.node] = 2
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let (node, edge) = above[top.node][top.next]
                if state[node] == 0 {
                    state[node] = 1
                    stack.append((node, 0))
                } else if state[node] == 1, isRefused.insert(edge).inserted {
                    let from = stack.firstIndex { $0.node == node } ?? 0
                    let path = stack[from...].map { names[$0.node] } + [names[node]]
                    refused.append(Refusal(edge: edges[edge], path: path))
                }
            }
        }
        for (i, edge) in edges.enumerated()
        where !isRefused.contains(i) && parents[edge.child] == nil {
            parents[edge.child] = edge.parent
        }
    }
}
