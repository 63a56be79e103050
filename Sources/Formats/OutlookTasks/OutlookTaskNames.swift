// The words of Outlook's task CSV: its columns in the languages people bring, and what stands in
// the cells of status, priority and sensitivity.

/// Names of columns and values of Outlook's task CSV.
enum OutlookTaskNames {
    /// The columns, in the order of an English export.
    enum Column: String, CaseIterable {
        case subject = "Subject"
        case start = "Start Date"
        case due = "Due Date"
        case reminder = "Reminder On/Off"
        case reminderDate = "Reminder Date"
        case reminderTime = "Reminder Time"
        case completed = "Date Completed"
        case percent = "% Complete"
        case totalWork = "Total Work"
        case actualWork = "Actual Work"
        case billing = "Billing Information"
        case categories = "Categories"
        case companies = "Companies"
        case contacts = "Contacts"
        case mileage = "Mileage"
        case notes = "Notes"
        case priority = "Priority"
        case isPrivate = "Private"
        case role = "Role"
        case schedulePriority = "Schedule+ Priority"
        case sensitivity = "Sensitivity"
        case status = "Status"
    }

    /// Other names of a column: German, French, Spanish, Italian, Dutch, Portuguese, Polish.
    static let names: [Column: [String]] = [
        .subject: [
            "Betreff", "Objet", "Asunto", "Oggetto", "Onderwerp", "Assunto", "Temat",
        ],
        .start: [
            "Beginnt am", "Beginn", "Startdatum", "Date de début", "Début", "Fecha de inicio",
            "Comienzo", "Data inizio", "Data di inizio", "Begindatum", "Data de início",
            "Data rozpoczęcia",
        ],
        .due: [
            "Fällig am", "Fälligkeitsdatum", "Échéance", "Date d'échéance", "Vencimiento",
            "Fecha de vencimiento", "Scadenza", "Data scadenza", "Einddatum", "Vervaldatum",
            "Data de conclusão", "Data para conclusão", "Termin",
        ],
        .reminder: [
            "Erinnerung Ein/Aus", "Erinnerung", "Rappel actif/inactif", "Rappel Activé/Désactivé",
            "Rappel", "Rappel activé", "Aviso Activado/Desactivado", "Aviso",
            "Promemoria attivato/disattivato",
            "Herinnering aan/uit", "Herinneringen aan/uit", "Lembrete Ativado/Desativado",
            "Przypomnienie Wł./Wył.",
        ],
        .reminderDate: [
            "Erinnerung am", "Erinnerungsdatum", "Date de rappel", "Date du rappel",
            "Fecha del aviso",
            "Data promemoria", "Datum herinnering", "Herinneringsdatum", "Data do lembrete",
            "Data przypomnienia",
        ],
        .reminderTime: [
            "Erinnerungszeit", "Erinnerung um", "Heure de rappel", "Heure du rappel",
            "Hora del aviso",
            "Ora promemoria", "Tijd herinnering", "Herinneringstijd", "Hora do lembrete",
            "Godzina przypomnienia",
        ],
        .completed: [
            "Erledigt am", "Date d'achèvement", "Terminé le", "Fecha de finalización",
            "Data completamento", "Datum voltooid", "Voltooid op", "Data da conclusão",
            "Data ukończenia",
        ],
        .percent: [
            "% erledigt", "Prozent erledigt", "% achevé", "% completado", "% completata",
            "% completamento", "% voltooid", "% concluída", "% ukończenia",
        ],
        .totalWork: ["Gesamtaufwand", "Travail total", "Trabajo total", "Lavoro totale"],
        .actualWork: ["Ist-Aufwand", "Travail réel", "Trabajo real", "Lavoro effettivo"],
        .billing: [
            "Abrechnungsinformation", "Abrechnungsinformationen", "Informations facturation",
            "Información de facturación", "Dati fatturazione",
        ],
        .categories: [
            "Kategorien", "Catégories", "Categorías", "Categorie", "Categorieën", "Categorias",
            "Kategorie",
        ],
        .companies: ["Firmen", "Sociétés", "Organizaciones", "Società"],
        .contacts: ["Kontakte", "Contactos", "Contatti"],
        .mileage: [
            "Kilometer", "Reisekilometer", "Kilométrage", "Kilometraje", "Indennità trasferta",
        ],
        .notes: ["Notizen", "Notas", "Note", "Notities", "Notatki", "Anotações"],
        .priority: [
            "Priorität", "Priorité", "Importance", "Prioridad", "Priorità", "Prioriteit",
            "Prioridade", "Priorytet",
        ],
        .isPrivate: ["Privat", "Privé", "Privado", "Privato", "Particular", "Prywatne"],
        .role: ["Rolle", "Rôle", "Rol", "Ruolo"],
        .schedulePriority: [
            "Zeitplan+ Priorität", "Zeitplan+-Priorität", "Schedule+-Priorität",
            "Priorität Schedule+", "Priorité Schedule+",
        ],
        .sensitivity: [
            "Vertraulichkeit", "Confidentialité", "Critère de diffusion", "Confidencialidad",
            "Riservatezza", "Gevoeligheid", "Confidencialidade", "Charakter",
        ],
        .status: ["État", "Estado", "Stato", "Stan"],
    ]

    /// All names a header may have, for finding it.
    static var all: [String] {
        Column.allCases.map(\.rawValue) + Column.allCases.flatMap { names[$0] ?? [] }
    }

    /// The states by their words.
    private static let states: [String: Int] = {
        let words = [
            [
                "0", "notstarted", "nichtbegonnen", "noncommencé", "noncommencée", "nocomenzada",
                "noiniciada", "noniniziata", "nonavviata", "nietgestart", "nãoiniciada",
                "nierozpoczęte",
            ],
            [
                "1", "inprogress", "inbearbeitung", "encours", "encurso", "incorso",
                "wordtuitgevoerd",
                "mezig", "bezig", "emandamento", "wtoku",
            ],
            [
                "2", "completed", "complete", "erledigt", "terminé", "terminée", "completada",
                "completata", "voltooid", "concluída", "ukończone",
            ],
            [
                "3", "waitingonsomeoneelse", "waitingonothers", "wartenaufjemandanderen",
                "wartetaufjemandanderen",
                "wartenaufandere", "enattente", "alaesperadeotrapersona", "inattesadialtrapersona",
                "wachtenopiemandanders", "aguardandooutrapessoa",
            ],
            [
                "4", "deferred", "zurückgestellt", "différé", "différée", "aplazada", "rinviata",
                "uitgesteld", "adiada", "odroczone",
            ],
        ]
        var states: [String: Int] = [:]
        for (i, words) in words.enumerated() {
            for word in words { states[word] = i }
        }
        return states
    }()

    /// Status: 0 not started, 1 in progress, 2 completed, 3 waiting, 4 deferred.
    static func status(_ text: String) -> Int? { states[HeaderNames.fold(text)] }

    /// Words for a priority or sensitivity that says nothing of its own.
    static func isNormal(_ text: String) -> Bool { normalWords.contains(HeaderNames.fold(text)) }

    private static let normalWords: Set<String> = [
        "", "normal", "normale", "normaal", "normalna", "normalny", "normalne", "media",
        "mittel",
        "medium", "moyenne", "none",
    ]

    /// Priority: 1 high, 5 normal, 9 low.
    static func priority(_ text: String) -> Int64? {
        switch HeaderNames.fold(text) {
        case "high", "2", "hoch", "haute", "élevée", "alta", "hoog", "wysoki": 1
        case "low", "0", "niedrig", "basse", "faible", "baja", "bassa", "laag", "baixa", "niski": 9
        default: nil
        }
    }

    /// Words for the strictest sensitivity.
    static func isConfidential(_ text: String) -> Bool {
        confidentialWords.contains(HeaderNames.fold(text))
    }

    private static let confidentialWords: Set<String> = [
        "3", "confidential", "vertraulich", "confidentiel", "confidencial", "riservato",
        "vertrouwelijk", "poufne",
    ]

    /// Words for what is one's own; true for private, false for personal, nil for others.
    static func isOwn(_ text: String) -> Bool? {
        switch HeaderNames.fold(text) {
        case "2", "private", "privat", "privé", "privado", "privato", "particular", "prywatne",
            "privée":
            true
        case "1", "personal", "persönlich", "personnel", "personale", "persoonlijk", "pessoal",
            "osobiste":
            false
        default: nil
        }
    }

    /// Words for no.
    static func isFalse(_ text: String) -> Bool { noWords.contains(HeaderNames.fold(text)) }

    private static let noWords: Set<String> = [
        "", "false", "falsch", "faux", "falso", "onwaar", "fałsz", "no", "0", "off", "aus",
        "nein", "non", "nee", "não", "nie", "uit",
    ]

    /// Words for yes.
    static func isTrue(_ text: String) -> Bool { yesWords.contains(HeaderNames.fold(text)) }

    private static let yesWords: Set<String> = [
        "true", "wahr", "vrai", "verdadero", "vero", "waar", "verdadeiro", "prawda", "yes", "1",
        "on", "ein", "ja", "oui", "sí", "si", "sim",
    ]
}
