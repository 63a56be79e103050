// The built-in maps, as the files they are; readable copies stand in samples/maps (a test holds
// them equal).

/// The texts of the built-in map files.
package enum BuiltInMaps {
    /// All of them, by name.
    package static let named: [(name: String, text: String)] = [
        ("mycontacts", myContacts), ("taskmanager", taskManager), ("realmtodo", realmToDo),
        ("dogs", dogs),
    ]

    static var texts: [String] { named.map(\.text) }

    private static let myContacts = """
        {
          "rtoolMap": 1,
          "name": "mycontacts",
          "summary": "MyContacts: a name, a phone number and a buddy mark",
          "source": "contacts",
          "class": "ContactObject",
          "classes": [
            {"name": "ContactObject", "primaryKey": "id", "properties": [
              {"name": "id", "type": "objectId"},
              {"name": "name", "type": "string"},
              {"name": "phone", "type": "string"},
              {"name": "isBuddy", "type": "bool"}]}
          ],
          "fields": [
            {"property": "id", "from": "id"},
            {"property": "name", "from": "name", "else": ""},
            {"property": "phone", "from": "phone", "else": ""},
            {"property": "isBuddy", "from": "category", "is": "Buddy"}
          ]
        }

        """

    private static let taskManager = """
        {
          "rtoolMap": 1,
          "name": "taskmanager",
          "summary": "TaskManager: what to do, of what type, from when to when on a day",
          "source": "tasks",
          "class": "Task",
          "classes": [
            {"name": "Task", "primaryKey": "id", "properties": [
              {"name": "id", "type": "objectId"},
              {"name": "name", "type": "string"},
              {"name": "type", "type": "string"},
              {"name": "startTime", "type": "string"},
              {"name": "endTime", "type": "string"}]}
          ],
          "fields": [
            {"property": "id", "from": "id"},
            {"property": "name", "from": "title", "else": ""},
            {"property": "type", "from": "category", "else": ""},
            {"property": "startTime", "from": "startTime", "else": "00:00"},
            {"property": "endTime", "from": "endTime", "else": "01:00"}
          ],
          "leaveOut": [{"field": "done", "unless": "include-done"}]
        }

        """

    private static let realmToDo = """
        {
          "rtoolMap": 1,
          "name": "realmtodo",
          "summary": "RealmToDo of 2016: a title, a description, done or not, the last save",
          "source": "tasks",
          "class": "Task",
          "classes": [
            {"name": "Task", "properties": [
              {"name": "taskTitle", "type": "string"},
              {"name": "taskDescription", "type": "string", "optional": true},
              {"name": "done", "type": "bool"},
              {"name": "date", "type": "date"}]}
          ],
          "fields": [
            {"property": "taskTitle", "from": "title", "else": ""},
            {"property": "taskDescription", "from": "notes"},
            {"property": "done", "from": "done"},
            {"property": "date", "from": "saved", "else": "1970-01-01T00:00:00Z"}
          ]
        }

        """

    private static let dogs = """
        {
          "rtoolMap": 1,
          "name": "dogs",
          "summary": "Dogs of Realm's documentation: people and the dogs they have",
          "class": "Dog",
          "classes": [
            {"name": "Person", "properties": [
              {"name": "name", "type": "string"},
              {"name": "dogs", "type": "link", "collection": "list", "target": "Dog"}]},
            {"name": "Dog", "properties": [
              {"name": "name", "type": "string"},
              {"name": "breed", "type": "string"},
              {"name": "favoriteToy", "type": "string"},
              {"name": "profileImageUrl", "type": "string", "optional": true}]}
          ]
        }

        """
}
