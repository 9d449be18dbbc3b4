/** Exceptions of the test wallet: the crash of a careless wallet, and a malformed request. */
export class Crash extends Error {
  readonly status: number
  constructor(message: string, status = 500) {
    super(message)
    this.status = status
  }
}

/** A fault of the request: code 5. */
export class MalformedRequest extends Error {}
