package import KeychainModel

// What belongs to a connection and its tables.

/// With a descriptor: the enclave's end of one more connection of the service's. It has no reply.
package struct OpenChannelRequest: BodilessRequest {
    package static let description = RequestDescription(12, from: .firstConnection, on: .loop, answer: .nothing)

    package init() {}
}

/// The service has dropped what a change took away. Its id is the event's, and it has no reply.
package struct AcknowledgeRequest: BodilessRequest {
    package static let description = RequestDescription(13, from: .firstConnection, on: .loop, answer: .nothing)

    package init() {}
}

/// `chatelaine-identify` says which program a voucher stands for.
package struct VouchRequest: EnclaveRequest {
    package static let description = RequestDescription(104, from: .witness, on: .loop, answer: .nothing)

    package let program: VouchedProgram
    package let voucher: AskerVoucher

    package init(for program: VouchedProgram, by voucher: AskerVoucher) {
        self.program = program
        self.voucher = voucher
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        voucher = try reader.voucher()
        program = try reader.vouchedProgram()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(program, by: voucher)
    }
}
