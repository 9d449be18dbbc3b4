/** Message of any thrown value. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || aggregateErrorText(error) || error.name
}

/** The system's error has no message when several addresses of a host were tried. */
function aggregateErrorText(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(errorText).join(', ') : ''
}

export function errorWithStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? errorText(error)) : String(error)
}
