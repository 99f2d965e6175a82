/// What an agent knows of one of its connections.
package struct AgentConnection: Sendable {
    package internal(set) var path = SessionPath()

    package init() {}
}
