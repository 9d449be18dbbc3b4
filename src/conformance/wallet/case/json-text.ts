/** JSON as text in several spellings that mean the same: who verifies a signature over parsed and re-written JSON fails on them. */
import type { Spelling } from './case.ts'

const WRITTEN = Symbol('written')

interface Written {
  readonly [WRITTEN]: string
}

/** A piece of JSON that is put into the body as it is: `written('10.0')`. */
export function written(json: string): Written {
  return { [WRITTEN]: json }
}

export function writeJson(value: unknown, spelling: Spelling): string {
  switch (spelling) {
    case 'compact':
      return write(value, { comma: ',', colon: ':' })
    case 'reordered':
      return write(value, { comma: ',', colon: ':', isReversed: true })
    case 'spaced':
      return write(value, { comma: ' ,\n  ', colon: ' : ' })
    case 'escaped':
      return write(value, { comma: ',', colon: ':', escape: escapeMore })
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

function write(value: unknown, style: Style): string {
  if (isWritten(value)) return value[WRITTEN]
  if (Array.isArray(value)) return `[${value.map((item) => write(item, style)).join(style.comma)}]`
  if (typeof value === 'object' && value !== null) return writeObject(value, style)
  const json = JSON.stringify(value)
  return style.escape ? style.escape(json) : json
}

function writeObject(value: object, style: Style): string {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (style.isReversed) members.reverse()
  const texts = members.map(([name, member]) => JSON.stringify(name) + style.colon + write(member, style))
  return `{${texts.join(style.comma)}}`
}

function isWritten(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && WRITTEN in value
}

/** PHP's way: every slash and everything beyond ASCII escaped. */
function escapeMore(json: string): string {
  return json
    .replaceAll('/', '\\/')
    .replaceAll(/[^\u0020-\u007e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
