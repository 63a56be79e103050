// The columns an address book is written with: the header some program imports. What each column
// takes is looked up in the same tables that reading uses, so a header is all there is to a
// profile; the columns of an existing file serve as well.

/// A header to write contacts under.
struct AddressBookProfile {
    let name: String
    let headers: [String]
    let book: AddressBook
    let plan: AddressBookPlan

    /// A built-in profile by name, else the header of a CSV file.
    /// - Parameter widths: how many columns of a kind are needed, where that varies.
    /// - Throws: `usage` for a header that is no address book's, and what opening a file throws.
    init(_ name: String, widths: [String: Int] = [:]) throws(FormatError) {
        self.name = name
        switch name {
        case "google": headers = AddressBookProfile.google(isNew: true, widths)
        case "google-old": headers = AddressBookProfile.google(isNew: false, widths)
        case "outlook": headers = AddressBookProfile.outlook
        case "thunderbird": headers = AddressBookProfile.thunderbird
        default:
            guard name.contains(".") || name.contains("/") else {
                throw FormatError(
                    .usage, "there is no profile \(name)",
                    fix: "plain, google, google-old, outlook and thunderbird are known; "
                        + "a CSV file with the wanted columns will do, too")
            }
            let document = try CSVDocument(
                InputBytes.open(name), knownHeaders: AddressBook.knownHeaders,
                context: ExchangeContext())
            headers = document.names
        }
        guard let book = AddressBook(headers, isAsked: true) else {
            throw FormatError(
                .usage, "no column of the profile is known to hold anything of a contact",
                file: name)
        }
        self.book = book
        plan = AddressBookPlan(book)
    }

    /// The columns of a table that was read; what they are called does not matter.
    init(_ book: AddressBook, width: Int) {
        name = ""
        headers = (0..<width).map { "column \($0)" }
        self.book = book
        plan = AddressBookPlan(book)
    }

    private static func google(isNew: Bool, _ widths: [String: Int]) -> [String] {
        let type = isNew ? "Label" : "Type"
        var names =
            isNew
            ? [
                "First Name", "Middle Name", "Last Name", "Phonetic First Name",
                "Phonetic Middle Name", "Phonetic Last Name", "Name Prefix", "Name Suffix",
                "Nickname", "File As", "Organization Name", "Organization Title",
                "Organization Department", "Birthday", "Notes", "Photo", "Labels",
            ]
            : [
                "Name", "Given Name", "Additional Name", "Family Name", "Yomi Name",
                "Given Name Yomi", "Additional Name Yomi", "Family Name Yomi", "Name Prefix",
                "Name Suffix", "Initials", "Nickname", "Short Name", "Maiden Name", "Birthday",
                "Gender", "Location", "Billing Information", "Directory Server", "Mileage",
                "Occupation", "Hobby", "Sensitivity", "Priority", "Subject", "Notes", "Language",
                "Photo", "Group Membership",
            ]
        func add(_ kind: String, _ count: Int, _ parts: [String]) {
            let count = max(count, widths[kind] ?? 0)
            for n in 1...count { for part in parts { names.append("\(kind) \(n) - \(part)") } }
        }
        add("E-mail", 5, [type, "Value"])
        if !isNew { add("IM", 3, [type, "Service", "Value"]) }
        add("Phone", 8, [type, "Value"])
        add(
            "Address", 4,
            [
                type, "Formatted", "Street", "City", "PO Box", "Region", "Postal Code", "Country",
                "Extended Address",
            ])
        if !isNew { add("Organization", 1, [type, "Name", "Title", "Department"]) }
        add("Relation", 4, [type, "Value"])
        add("Website", 4, [type, "Value"])
        add("Event", 3, [type, "Value"])
        add("Custom Field", 5, [type, "Value"])
        return names
    }

    private static let thunderbird = [
        "First Name", "Last Name", "Display Name", "Nickname", "Primary Email",
        "Secondary Email", "Screen Name", "Work Phone", "Home Phone", "Fax Number",
        "Pager Number", "Mobile Number", "Home Address", "Home Address 2", "Home City",
        "Home State", "Home ZipCode", "Home Country", "Work Address", "Work Address 2",
        "Work City", "Work State", "Work ZipCode", "Work Country", "Job Title", "Department",
        "Organization", "Web Page 1", "Web Page 2", "Birth Year", "Birth Month", "Birth Day",
        "Custom 1", "Custom 2", "Custom 3", "Custom 4", "Notes",
    ]

    private static let outlook = [
        "Title", "First Name", "Middle Name", "Last Name", "Suffix", "Company", "Department",
        "Job Title", "Business Street", "Business Street 2", "Business Street 3",
        "Business City", "Business State", "Business Postal Code", "Business Country/Region",
        "Home Street", "Home Street 2", "Home Street 3", "Home City", "Home State",
        "Home Postal Code", "Home Country/Region", "Other Street", "Other Street 2",
        "Other Street 3", "Other City", "Other State", "Other Postal Code",
        "Other Country/Region", "Assistant's Phone", "Business Fax", "Business Phone",
        "Business Phone 2", "Callback", "Car Phone", "Company Main Phone", "Home Fax",
        "Home Phone", "Home Phone 2", "ISDN", "Mobile Phone", "Other Fax", "Other Phone",
        "Pager", "Primary Phone", "Radio Phone", "TTY/TDD Phone", "Telex", "Account",
        "Anniversary", "Assistant's Name", "Billing Information", "Birthday",
        "Business Address PO Box", "Categories", "Children", "Directory Server",
        "E-mail Address", "E-mail Type", "E-mail Display Name", "E-mail 2 Address",
        "E-mail 2 Type", "E-mail 2 Display Name", "E-mail 3 Address", "E-mail 3 Type",
        "E-mail 3 Display Name", "Gender", "Government ID Number", "Hobby",
        "Home Address PO Box", "Initials", "Internet Free Busy", "Keywords", "Language",
        "Location", "Manager's Name", "Mileage", "Notes", "Office Location",
        "Organizational ID Number", "Other Address PO Box", "Priority", "Private", "Profession",
        "Referred By", "Sensitivity", "Spouse", "User 1", "User 2", "User 3", "User 4",
        "Web Page",
    ]
}
