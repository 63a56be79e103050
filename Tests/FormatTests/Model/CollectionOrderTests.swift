import Testing

@testable import Formats

@Suite("Order of sets")
struct CollectionOrderTests {
    private func isInOrder(_ values: [Double]) -> Bool {
        let schema = Schema(classes: [])
        let set = Column(Property("s", .double, collection: .set), schema: schema)
        guard let elements = set.elements else { return false }
        for value in values { elements.append(word: Int64(bitPattern: value.bitPattern)) }
        set.closeCollection()
        return CollectionOrder.sort(elements, keys: nil, from: 0, byElements: true, tables: [])
    }

    @Test("an element that stands twice is out of order")
    func elementsStandOnce() {
        #expect(isInOrder([-1, 0, 2.5]))
        #expect(!isInOrder([-1, 2.5, 2.5]))
        #expect(!isInOrder([2.5, -1]))
    }

    @Test("a NaN lets elements stand twice: the engine cannot find them then")
    func repetitionsBesideANaN() {
        #expect(isInOrder([.nan, .nan, 1, .infinity, .infinity]))
        #expect(isInOrder([1, .infinity, .nan, .infinity]))
    }
}
