import Foundation
import TestSupport
import Testing

/// The process is killed at each system call that changes a file, and each of them is refused once:
/// whatever happens, the store is the old one or the new one, whole.
@Suite("Interrupted migrations", .enabled(if: Faults.library != nil)) struct InterruptionTests {
    private func place(_ sample: String = "realmtodo.realm") throws -> Workplace {
        let place = try Workplace()
        try FileManager.default.copyItem(
            atPath: Workplace.sample(sample), toPath: place.path("s.realm"))
        try place.write(
            "names.json",
            #"""
            {"rtoolPlan": 1, "name": "names", "steps": [{"from": 0, "to": 1, "changes": [
             {"renameProperty": "ContactObject.name", "to": "fullName"},
             {"addProperty": "ContactObject.score", "type": "int", "value": 7},
             {"dropProperty": "ContactObject.isBuddy"}]}]}
            """#)
        return place
    }

    private func words(_ plan: String = MigrateTests.manager) -> [String] {
        ["migrate", "s.realm", "--plan", plan, "--in-place", "--quiet"]
    }

    /// Rows written one by one, and rows that are carried over.
    static let stores = [
        ("realmtodo.realm", MigrateTests.manager), ("mycontacts.realm", "names.json"),
    ]

    @Test(arguments: ["kill", "full"], stores)
    func theStoreIsTheOldOrTheNewOne(_ fault: String, _ store: (sample: String, plan: String))
        throws
    {
        let words = words(store.plan)
        let reference = try place(store.sample)
        let old = try reference.bytes("s.realm")
        #expect(try reference.run(words).exitCode == 0)
        let new = try reference.bytes("s.realm")
        var last = 0
        for n in 1..<400 {
            let place = try place(store.sample)
            let outcome = try place.run(words, environment: Faults.at(n, fault))
            let bytes = try place.bytes("s.realm")
            #expect(bytes == old || bytes == new, "\(fault) at \(n)")
            if fault == "full", outcome.exitCode != 0 {
                #expect([73, 74].contains(outcome.exitCode), "\(n): \(outcome.errors)")
                #expect(bytes == old, "\(n)")
                #expect(
                    try place.names().filter { $0.hasPrefix("s.") } == ["s.realm", "s.realm.lock"],
                    "\(n)")
            }
            // Whatever was left behind, the next run ends well, and undo gives the old bytes.
            let next = try place.run(words)
            #expect(next.exitCode == 0, "\(fault) at \(n): \(next.errors)")
            #expect(try place.bytes("s.realm") == new)
            let undo = try place.run(["migrate", "s.realm", "--undo", "--quiet"])
            #expect(undo.exitCode == 0, "\(fault) at \(n): \(undo.errors)")
            #expect(try place.bytes("s.realm") == old)
            last = n
            if outcome.exitCode == 0, !Faults.wasHit(in: place) { break }
        }
        #expect(last > 8 && last < 399)
    }

    @Test(arguments: ["kill", "full"]) func undoGivesTheOldOrLeavesTheNewOne(_ fault: String) throws
    {
        let words = words()
        let reference = try place()
        let old = try reference.bytes("s.realm")
        #expect(try reference.run(words).exitCode == 0)
        let new = try reference.bytes("s.realm")
        for n in 1..<100 {
            let place = try place()
            _ = try place.run(words)
            let undo = ["migrate", "s.realm", "--undo", "--quiet"]
            let outcome = try place.run(undo, environment: Faults.at(n, fault))
            let store = try place.bytes("s.realm")
            #expect(store == old || store == new, "\(fault) at \(n)")
            if store == new { #expect(try place.run(undo).exitCode == 0) }
            #expect(try place.bytes("s.realm") == old)
            #expect(try place.run(words).exitCode == 0)
            #expect(try place.bytes("s.realm") == new)
            if outcome.exitCode == 0, !Faults.wasHit(in: place) { break }
        }
    }
}

/// A library that goes between the command and the system.
enum Faults {
    static func at(_ n: Int, _ fault: String) -> [String: String] {
        [
            "LD_PRELOAD": library ?? "", "FAULT_AT": String(n), "FAULT_KIND": fault,
            "FAULT_MARK": ".hit",
        ]
    }

    /// True when a fault struck in a folder.
    static func wasHit(in place: Workplace) -> Bool {
        FileManager.default.fileExists(atPath: place.path(".hit"))
    }

    /// The library, built where there is a compiler; nil elsewhere.
    static let library: String? = {
        #if os(Linux)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
            let compilers = path.split(separator: ":").flatMap { ["\($0)/clang", "\($0)/cc"] }
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent(
                    "rtool-faults-\(ProcessInfo.processInfo.globallyUniqueString)")
            try? FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            let source = folder.appendingPathComponent("faults.c").path
            let library = folder.appendingPathComponent("faults.so").path
            try? text.write(toFile: source, atomically: true, encoding: .utf8)
            for compiler in compilers where FileManager.default.isExecutableFile(atPath: compiler) {
                let words = ["-shared", "-fPIC", "-O1", "-w", "-o", library, source, "-ldl"]
                let run = try? ChildProcess(compiler, words)
                if run?.exitCode == 0 { return library }
            }
        #endif
        print("skipped: interruptions need Linux and a C compiler")
        return nil
    }()

    private static let text = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/types.h>
        #include <unistd.h>
        static long count;
        static int strike(int refusable) {
          const char *at = getenv("FAULT_AT");
          if (!at) return 0;
          const char *kind = getenv("FAULT_KIND");
          int kills = kind && !strcmp(kind, "kill");
          if (!kills && !refusable) return 0;
          ++count;
          if (count != atol(at) && (kills || count < atol(at))) return 0;
          int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
          int mark = real(getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0644);
          if (mark >= 0) close(mark);
          if (kills) kill(getpid(), SIGKILL);
          errno = ENOSPC;
          return 1;
        }
        ssize_t write(int fd, const void *p, size_t n) {
          ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
          if (fd > 2 && strike(1)) return -1;
          return real(fd, p, n);
        }
        ssize_t pwrite(int fd, const void *p, size_t n, off_t o) {
          ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
          if (strike(1)) return -1;
          return real(fd, p, n, o);
        }
        int fsync(int fd) {
          int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
          if (strike(0)) return -1;
          return real(fd);
        }
        int rename(const char *a, const char *b) {
          int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
          if (strike(0)) return -1;
          return real(a, b);
        }
        int unlink(const char *a) {
          int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
          if (strike(0)) return -1;
          return real(a);
        }
        int link(const char *a, const char *b) {
          int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "link");
          if (strike(1)) return -1;
          return real(a, b);
        }
        int linkat(int x, const char *a, int y, const char *b, int f) {
          int (*real)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");
          if (strike(1)) return -1;
          return real(x, a, y, b, f);
        }
        """#
}
