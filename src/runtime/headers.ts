/** Headers that are sent in addition to the interface's own (--header), as a proxy in front of a wallet asks for. */
import { WrongUse } from './wrong-use.ts'

export type Headers = Readonly<Record<string, string>>

const HEADER = /^(?<name>[!#$%&'*+.^_`|~\w-]+):\s*(?<value>[\t\x20-\x7e]+)$/
/** The caller writes these itself. */
const OURS = ['content-type', 'content-length', 'x-sign-jws', 'host', 'connection', 'transfer-encoding']

/** Throws WrongUse. */
export function readHeaders(texts: readonly string[]): Headers {
  return Object.fromEntries(texts.map(readHeader))
}

function readHeader(text: string): [name: string, value: string] {
  const { name, value } = HEADER.exec(text.trim())?.groups ?? {}
  if (name === undefined || value === undefined)
    throw new WrongUse("--header: write it as 'Name: value', as in 'Authorization: Basic dXNlcjpwYXNz'")
  if (OURS.includes(name.toLowerCase())) throw new WrongUse(`--header: ${name} is written with each call: leave it out`)
  return [name.toLowerCase(), value]
}
