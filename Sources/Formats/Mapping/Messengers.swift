// The services of instant messages: which words name one, and the URI of an account. Which lines of
// a card hold them is for the mapper and the converters.

enum Messengers {
    /// The URI scheme of a service; nil for one that has none of its own.
    static func scheme(of service: String) -> String? { schemes[fold(service)] }

    /// Whether a type of a messenger line names its service, as some programs write it.
    static func isService(_ type: String) -> Bool {
        let word = fold(type)
        return schemes[word] != nil || others.contains(word)
    }

    /// The URI of an account. A service without a scheme has Apple's, an unknown one the scheme
    /// of instant messages in general.
    static func uri(service: String?, user: String) -> String {
        var text = prefix(service: service)
        let digits = Array("0123456789ABCDEF")
        for byte in user.utf8 {
            if isPlain(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text.append("%")
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
        return text
    }

    /// What the URIs of a service begin with.
    static func prefix(service: String?) -> String {
        (service.map { scheme(of: $0) ?? "x-apple" } ?? "im") + ":"
    }

    /// Whether a name of an account can stand in a URI as it is.
    static func isPlain(_ user: UnsafeRawBufferPointer) -> Bool { user.allSatisfy { isPlain($0) } }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // - . _ ~ ! $ & ' ( ) * + , ; = : @ / ?
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D, 0x3A, 0x40, 0x2F, 0x3F:
            true
        default: false
        }
    }

    private static func fold(_ word: String) -> String {
        word.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" }
    }

    private static let schemes: [String: String] = [
        "aim": "aim", "icq": "icq", "jabber": "xmpp", "xmpp": "xmpp", "googletalk": "xmpp",
        "gtalk": "xmpp", "google": "xmpp", "hangouts": "xmpp", "msn": "msnim",
        "msnmessenger": "msnim", "windowslive": "msnim", "yahoo": "ymsgr", "skype": "skype",
        "sip": "sip", "irc": "irc",
    ]

    /// Services without a scheme that is in use.
    private static let others: Set<String> = [
        "qq", "gadugadu", "groupwise", "facebook", "twitter", "telegram", "whatsapp", "signal",
        "matrix", "netmeeting", "line", "wechat", "viber", "threema", "discord",
    ]
}
