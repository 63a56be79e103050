import Testing

@Suite("Command") struct CommandTests {}
