// Handwritten JSON text, because JSON.stringify changes some values (1e400, -0, 10.0, a lone
// surrogate).

const SPELLED = Symbol('spelled')

export interface SpelledValue {
  [SPELLED]: string
}

/** A member's value in exactly this spelling. */
export function spelled(text: string): SpelledValue {
  return { [SPELLED]: text }
}

/** An object as JSON text, without undefined members and with spelled values unchanged. */
export function jsonText(message: Record<string, unknown>): string {
  const members = Object.entries(message).filter(([, value]) => value !== undefined)
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${valueText(value)}`).join(',')}}`
}

function valueText(value: unknown): string {
  return isSpelled(value) ? value[SPELLED] : JSON.stringify(value)
}

function isSpelled(value: unknown): value is SpelledValue {
  return typeof value === 'object' && value !== null && SPELLED in value
}
