/** The exceptions of a mutant, at points where a careless wallet would crash. */
export class Crash extends Error {
  readonly status: number
  constructor(message: string, status = 500) {
    super(message)
    this.status = status
  }
}

/** A fault of the request: code 5. */
export class MalformedRequest extends Error {}
