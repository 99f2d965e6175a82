import Foundation
import KeychainMessages
import KeychainModel

extension WireEvent {
    init(_ event: KeychainEvent) {
        self.init()
        switch event {
        case .lockState(let state): lockState = LockState(state)
        case .item(let change, let reference, let group):
            itemChange.kind = ItemChange.Kind(change)
            itemChange.itemClass = WireItemClass(reference.itemClass)
            itemChange.accessGroup = group
            itemChange.reference = Data(reference.bytes)
        case .missed: missed = true
        case .circleChange: circleChange = true
        }
    }
}

extension KeychainEvent {
    init(_ wire: WireEvent) throws(KeychainError) {
        switch wire.body {
        case .lockState(let state): self = .lockState(try LockState(state))
        case .itemChange(let change):
            let itemClass = try ItemClass(change.itemClass)
            guard let reference = PersistentReference(Array(change.reference)), reference.itemClass == itemClass else {
                throw KeychainError(.invalidParameter, "the service tells of an item without a name")
            }
            self = .item(try ItemChangeKind(change.kind), reference, accessGroup: change.accessGroup)
        case .missed: self = .missed
        case .circleChange: self = .circleChange
        case nil: throw KeychainError(.invalidParameter, "the service tells of what this version does not know")
        }
    }
}

extension WireEvent.LockState {
    fileprivate init(_ state: KeychainEvent.LockState) {
        self =
            switch state {
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .locked: .locked
            case .unlocked: .unlocked
            case .noPasscode: .noPasscode
            }
    }
}

extension KeychainEvent.LockState {
    fileprivate init(_ wire: WireEvent.LockState) throws(KeychainError) {
        switch wire {
        case .beforeFirstUnlock: self = .beforeFirstUnlock
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        case .noPasscode: self = .noPasscode
        case .unspecified, .UNRECOGNIZED:
            throw KeychainError(.invalidParameter, "the service tells of a lock state that this version does not know")
        }
    }
}

extension WireEvent.ItemChange.Kind {
    fileprivate init(_ change: ItemChangeKind) {
        self =
            switch change {
            case .added: .added
            case .updated: .updated
            case .deleted: .deleted
            }
    }
}

extension ItemChangeKind {
    fileprivate init(_ wire: WireEvent.ItemChange.Kind) throws(KeychainError) {
        switch wire {
        case .added: self = .added
        case .updated: self = .updated
        case .deleted: self = .deleted
        case .unspecified, .UNRECOGNIZED:
            throw KeychainError(.invalidParameter, "the service tells of a change that this version does not know")
        }
    }
}
