/** Tells a database that is down from a statement that failed: the first fails every call, the second only its own. */

/** SQLSTATE classes of a server that cannot work: connection, resources, shutdown, system (Postgres, Appendix A). */
const OUTAGE_CLASSES = new Set(['08', '53', '57', '58'])

/** Statement time-out: the server works, this statement took too long. */
const QUERY_CANCELED = '57014'

export function isOutage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string')
    return error instanceof Error && /connect|terminat|timeout|ended|closed/i.test(error.message)
  if (!/^[0-9A-Z]{5}$/.test(code)) return true // ECONNREFUSED and its kin
  return code !== QUERY_CANCELED && OUTAGE_CLASSES.has(code.slice(0, 2))
}
