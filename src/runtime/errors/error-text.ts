/** What went wrong, in words, whatever was thrown. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || aggregateErrorText(error) || error.name
}

/** Of several addresses of a host that were tried, the system's error has no message. */
function aggregateErrorText(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(errorText).join(', ') : ''
}

/** With the place where it was thrown. */
export function errorWithStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? errorText(error)) : String(error)
}
