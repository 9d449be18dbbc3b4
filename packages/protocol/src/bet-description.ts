/**
 * Members of a Place bet that only describe the bet.
 *
 * A describing member never causes a rejection and is stored unchanged, with any JSON type (W-3).
 * The console uses this file, so it has no dependencies.
 */

/** Every other member of the interface moves money or identifies something. */
export const DESCRIBING_MEMBERS = [
  ...(['coefficient', 'gameType', 'ticketType', 'boosterCoefficient', 'bonusTemplateId', 'bonusAmount'] as const),
  ...(['ip', 'info', 'subPartnerId', 'metadata'] as const),
] as const

export type DescribingMember = (typeof DESCRIBING_MEMBERS)[number]

/** Text stays as it is; every other value is written as JSON. */
export function formatJsonValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export function parseDescribedId(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

type Selection = Readonly<Record<string, unknown>>

/** `metadata` may be any JSON value. */
export function parseSelections(metadata: unknown): readonly Selection[] {
  return Array.isArray(metadata) ? metadata.map(toSelection) : []
}

/** An item that is not an object becomes the name of the event. */
function toSelection(item: unknown): Selection {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  return isObject ? (item as Selection) : { event: item }
}
