/**
 * Members of a Place bet that only describe the bet.
 *
 * They decide nothing, so they refuse nothing: each is kept as it came, of whatever JSON type (W-3).
 * A person is shown a value of an odd type as text. This file has no dependency, for the console.
 */

/** All other members of a Place bet decide; members that the interface does not have are ignored. */
export const DESCRIBING_MEMBERS = [
  ...(['coefficient', 'gameType', 'ticketType', 'boosterCoefficient', 'bonusTemplateId', 'bonusAmount'] as const),
  ...(['ip', 'info', 'subPartnerId', 'metadata'] as const),
] as const

export type DescribingMember = (typeof DESCRIBING_MEMBERS)[number]

/** The text of any JSON value: a text as it is, everything else as JSON writes it. */
export function formatJsonValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** An id is a text or a number; nothing else names something. */
export function parseDescribedId(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

type Selection = Readonly<Record<string, unknown>>

/** The selections of a `metadata`, which need not be a list, nor its items objects. */
export function parseSelections(metadata: unknown): readonly Selection[] {
  return Array.isArray(metadata) ? metadata.map(toSelection) : []
}

/** An item that is no object is shown as the name of the event. */
function toSelection(item: unknown): Selection {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  return isObject ? (item as Selection) : { event: item }
}
