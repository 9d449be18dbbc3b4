/** Additional HTTP headers for calls, for example for a proxy in front of a wallet. */
import { UsageError } from '../errors/cli-errors.ts'

export type ExtraHeaders = Readonly<Record<string, string>>

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const VALUE = /^[\t\x20-\x7e]+$/
const HEADER = /^(?<name>[^:]+):\s*(?<value>.+)$/
/** Headers of each call itself, of the connection, or of the encoding. */
const RESERVED_HEADERS = new Set([
  ...['content-type', 'content-length', 'content-encoding', 'x-sign-jws', 'host', 'expect', 'accept-encoding'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** Throws UsageError. */
export function parseHeaders(texts: readonly string[]): ExtraHeaders {
  const headers = texts.map(parseHeader)
  const twice = headers.find(([name], index) => headers.findIndex(([other]) => other === name) < index)
  if (twice !== undefined) throw new UsageError(`--header: ${twice[0]} is given twice: each name has one value`)
  return Object.fromEntries(headers)
}

function parseHeader(text: string): [name: string, value: string] {
  const { name = '', value = '' } = HEADER.exec(text.trim())?.groups ?? {}
  const fault = faultOfHeader(name, value)
  if (fault === 'malformed')
    throw new UsageError("--header: write it as 'Name: value', as in 'Authorization: Basic dXNlcjpwYXNz'")
  if (fault === 'ours') throw new UsageError(`--header: ${name} is written with each call: leave it out`)
  return [name.toLowerCase(), value]
}

export function faultOfHeader(name: string, value: string): 'malformed' | 'ours' | undefined {
  if (!NAME.test(name) || !VALUE.test(value)) return 'malformed'
  return RESERVED_HEADERS.has(name.toLowerCase()) ? 'ours' : undefined
}
