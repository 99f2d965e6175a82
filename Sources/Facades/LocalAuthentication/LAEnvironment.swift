public import Foundation

/// By what the person can be told at this machine, and what becomes of that.
///
/// See [LAEnvironment](https://developer.apple.com/documentation/localauthentication/laenvironment).
public final class LAEnvironment: NSObject, Sendable {
    /// What is told of changes. It is held weakly.
    ///
    /// A class that observes implements the method; with Apple it need not.
    public protocol Observer: NSObjectProtocol {
        /// Something has changed. It is called on a queue of this module's own, and `state` is the new state by then.
        ///
        /// - Parameter oldState: what was the state before.
        func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: State)
    }

    /// The environment of this process's user.
    public static let currentUser = LAEnvironment(presence: KeychainPresence(), period: .seconds(5))

    private let presence: any PresenceService
    private let watch: EnvironmentWatch

    /// - Parameter period: how long observers may wait to be told.
    package init(presence: any PresenceService, period: Duration) {
        self.presence = presence
        watch = EnvironmentWatch(period: period) { presence.snapshot }
    }

    /// What can be used now. It is looked up at each call, which asks the keychain.
    public var state: State { State(presence.snapshot) }

    /// Has an observer told of changes, of those that come after this call.
    ///
    /// As long as there are observers, the keychain is asked every five seconds: neither it nor the reader of fingers
    /// says by itself what an observer wants to know. A change that is undone within that time is not noticed.
    public func addObserver(_ observer: any Observer) {
        let held = WeakObserver(observer)
        watch.add(held) { [weak self] old in
            guard let self, let observer = held.observer else { return }
            observer.environment(self, stateDidChangeFromOldState: State(old))
        }
    }

    /// Ends that. An observer that was never added, or is gone, is no error.
    public func removeObserver(_ observer: any Observer) {
        watch.remove(WeakObserver(observer))
    }
}

extension LAEnvironment.Observer {
    /// Nothing.
    public func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State) {}
}
