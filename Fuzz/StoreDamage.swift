// Damages whole stores in ways that hit headers, references and lengths, and holds what is still
// delivered against the truth: rows that were not touched must come, and come unchanged; nothing
// else may come but from leaves that were touched. The input is a program for the damage.

@testable import Formats

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum StoreDamage {
    nonisolated(unsafe) private static let seeds: [StoreTruth] = {
        guard let folder = environment("RTOOL_FUZZ_STORES"), let open = opendir(folder) else {
            finding("RTOOL_FUZZ_STORES names no folder of stores")
        }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".realm") { names.append(name) }
        }
        closedir(open)
        return names.sorted().compactMap { StoreTruth("\(folder)/\($0)") }
    }()

    private struct Program {
        let bytes: UnsafeRawBufferPointer
        var at = 0
        mutating func byte() -> Int {
            guard at < bytes.count else { return 0 }
            at += 1
            return Int(bytes[at - 1])
        }
        mutating func word() -> Int { byte() << 16 | byte() << 8 | byte() }
        var isDone: Bool { at >= bytes.count }
    }

    static func run(_ program: UnsafeRawBufferPointer) {
        guard !seeds.isEmpty else { finding("no seeds") }
        var program = Program(bytes: program)
        let truth = seeds[program.byte() % seeds.count]
        var image = truth.image
        var touched: [Range<Int>] = []
        func touch(_ at: Int, _ new: [UInt8]) {
            for (i, byte) in new.enumerated()
            where at + i < image.count && image[at + i] != byte {
                image[at + i] = byte
                touched.append(at + i..<at + i + 1)
            }
        }
        var steps = 0
        var isCut = true
        repeat {
            steps += 1
            let node = truth.nodes[program.word() % truth.nodes.count]
            let kind = program.byte() % 8
            if kind != 0 { isCut = false }
            switch kind {
            case 0:  // cut off
                let size = program.word() % (image.count + 1)
                touched.append(size..<truth.image.count)
                image.removeLast(image.count - size)
            case 1:  // one bit anywhere in a node
                let at = node.lowerBound + program.byte() % node.count
                guard at < image.count else { break }
                touch(at, [image[at] ^ (1 << UInt8(program.byte() & 7))])
            case 2:  // hostile sizes
                touch(node.lowerBound + 5, [UInt8(program.byte()), 0xFF, UInt8(program.byte())])
            case 3:  // the kind of a node
                touch(node.lowerBound + 4, [UInt8(program.byte())])
            case 4:  // a whole node where another belongs
                let other = truth.nodes[program.word() % truth.nodes.count]
                touch(
                    node.lowerBound, Array(truth.image[other.prefix(min(node.count, other.count))]))
            case 5:  // two blocks change places
                let size = 1 << (program.byte() % 10 + 3)
                let a = program.word() % max(truth.image.count / size, 1) * size
                let b = program.word() % max(truth.image.count / size, 1) * size
                guard a + size <= truth.image.count, b + size <= truth.image.count else { break }
                touch(a, Array(truth.image[b..<b + size]))
                touch(b, Array(truth.image[a..<a + size]))
            case 6:  // a reference to another node
                let other = truth.nodes[program.word() % truth.nodes.count].lowerBound
                let width = ((1 << Int(truth.image[node.lowerBound + 4] & 7)) >> 1) / 8
                guard width > 0, node.count > 8 else { break }
                let slot = program.byte() % max((node.count - 8) / width, 1)
                touch(
                    node.lowerBound + 8 + slot * width,
                    (0..<min(width, 4)).map { UInt8(truncatingIfNeeded: other >> (8 * $0)) })
            default:  // bytes anywhere
                let at = program.word() % truth.image.count
                touch(at, [UInt8(program.byte())])
            }
        } while !program.isDone && steps < 6
        truth.hold(image, touched, isCut: isCut)
        image.withUnsafeBytes { StoreTrip.run($0) }
        if StoreTruth.held.images % 5000 == 0 {
            say("\(seeds.count) stores, held: \(StoreTruth.held)")
        }
    }
}
