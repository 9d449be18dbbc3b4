// JSON text by hand: some values (1e400, -0, 10.0, a lone surrogate) do not survive JSON.stringify.

const SPELLED = Symbol('spelled')

export interface Spelled {
  [SPELLED]: string
}

/** A member's value, spelled exactly so in the JSON text. */
export function spelled(text: string): Spelled {
  return { [SPELLED]: text }
}

/** An object as JSON text; members that are undefined are left out, spelled ones stand as they are. */
export function jsonText(message: Record<string, unknown>): string {
  const members = Object.entries(message).filter(([, value]) => value !== undefined)
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${valueText(value)}`).join(',')}}`
}

function valueText(value: unknown): string {
  return isSpelled(value) ? value[SPELLED] : JSON.stringify(value)
}

function isSpelled(value: unknown): value is Spelled {
  return typeof value === 'object' && value !== null && SPELLED in value
}
