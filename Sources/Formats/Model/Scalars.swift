// The fixed-size scalar values of a store. Text forms live beside the formats that spell them.

/// A point in time: seconds since 1970 UTC and nanoseconds of the same sign, below 10^9.
public struct Timestamp: Sendable, Hashable {
    /// Whole seconds since 1970-01-01T00:00:00Z, any Int64.
    public var seconds: Int64
    /// Nanoseconds, of the same sign as the seconds.
    public var nanoseconds: Int32

    /// A timestamp as a store keeps it.
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

/// The 12 bytes of an ObjectId, kept as two numbers in display order.
public struct ObjectID: Sendable, Hashable {
    /// The first eight bytes, big-endian.
    public var high: UInt64
    /// The last four bytes, big-endian.
    public var low: UInt32

    /// An ObjectId from its two parts.
    public init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }
}

/// The 16 bytes of a UUID, kept as two numbers in display order.
public struct UUID: Sendable, Hashable {
    /// The first eight bytes, big-endian.
    public var high: UInt64
    /// The last eight bytes, big-endian.
    public var low: UInt64

    /// A UUID from its two parts.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The bits of an IEEE 754-2008 decimal128 in binary integer (BID) encoding.
public struct Decimal128: Sendable, Hashable {
    /// The low 64 bits.
    public var low: UInt64
    /// The high 64 bits: sign, exponent and the top of the coefficient.
    public var high: UInt64

    /// A decimal from its bits.
    public init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }
}
