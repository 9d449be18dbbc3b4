/** Parser of the call list's filters, such as `player:17 code:1 slow:>1s`. */

const NAMES: Readonly<Record<string, string>> = {
  player: 'player',
  bet: 'transactionId',
  request: 'requestId',
  op: 'operation',
  operation: 'operation',
  outcome: 'outcome',
  code: 'code',
  platform: 'platform',
}

export interface CallFilters {
  readonly query: string
  /** Words that are not filters. */
  readonly unknown: readonly string[]
}

export function parseFilters(text: string): CallFilters {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const pairs = words.map((word) => [word, parseFilter(word)] as const)
  const known = pairs.flatMap(([, pair]) => (pair === undefined ? [] : [pair]))
  return {
    query: known.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join(''),
    unknown: pairs.flatMap(([word, pair]) => (pair === undefined ? [word] : [])),
  }
}

function parseFilter(word: string): readonly [string, string] | undefined {
  const colon = word.indexOf(':')
  if (colon < 1 || colon === word.length - 1) return undefined
  const [name, value] = [word.slice(0, colon), word.slice(colon + 1)]
  if (name === 'slow') {
    const ms = parseMilliseconds(value)
    return ms === undefined ? undefined : ['slowerThan', ms]
  }
  const known = NAMES[name]
  return known === undefined ? undefined : [known, value]
}

/** "1s", ">1s", "250ms" */
function parseMilliseconds(text: string): string | undefined {
  const [, digits, unit] = /^>?(\d{1,5})(ms|s)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  return unit === 's' ? `${Number.parseInt(digits, 10) * 1_000}` : digits
}
