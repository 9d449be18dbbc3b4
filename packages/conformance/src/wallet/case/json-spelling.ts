/**
 * Different spellings of equal JSON. They reveal a wallet that verifies the signature over
 * rewritten JSON.
 */
import type { JsonSpelling } from './wallet-case.ts'

const RAW_JSON = Symbol('written')

interface RawJson {
  readonly [RAW_JSON]: string
}

/** JSON that is put into the body unchanged: `rawJson('10.0')`. */
export function rawJson(json: string): RawJson {
  return { [RAW_JSON]: json }
}

export function writeJson(value: unknown, spelling: JsonSpelling): string {
  switch (spelling) {
    case 'compact':
      return writeValue(value, { comma: ',', colon: ':' })
    case 'reordered':
      return writeValue(value, { comma: ',', colon: ':', isReversed: true })
    case 'spaced':
      return writeValue(value, { comma: ' ,\n  ', colon: ' : ' })
    case 'escaped':
      return writeValue(value, { comma: ',', colon: ':', escape: escapeMore })
    default:
      return spelling satisfies never
  }
}

interface Style {
  readonly comma: string
  readonly colon: string
  readonly isReversed?: boolean
  readonly escape?: (json: string) => string
}

function writeValue(value: unknown, style: Style): string {
  if (isRawJson(value)) return value[RAW_JSON]
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item, style)).join(style.comma)}]`
  if (typeof value === 'object' && value !== null) return writeObject(value, style)
  const json = JSON.stringify(value)
  return style.escape ? style.escape(json) : json
}

function writeObject(value: object, style: Style): string {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (style.isReversed) members.reverse()
  const texts = members.map(([name, member]) => JSON.stringify(name) + style.colon + writeValue(member, style))
  return `{${texts.join(style.comma)}}`
}

function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'object' && value !== null && RAW_JSON in value
}

/** Escapes as PHP does: each slash and each character outside ASCII. */
function escapeMore(json: string): string {
  return json
    .replaceAll('/', '\\/')
    .replaceAll(/[^\u0020-\u007e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
