/** One of our own APIs, read by a command of ours over HTTP. */
import { Unreachable, WrongUse } from '../runtime/wrong-use.ts'

export interface OwnApi {
  readonly url: string
  readonly key: string
}

/** Milliseconds for one answer. */
const TIMEOUT_MS = 30_000

/** Undefined when it is not there. Throws with what to do: no such host, another key, a role that is too small. */
export function getFrom<T>(api: OwnApi, path: string, ended?: AbortSignal): Promise<T | undefined> {
  return askApi(api, 'GET', path, undefined, ended)
}

/** The same with another method; null for an answer without a body. */
export async function askApi<T>(
  { url, key }: OwnApi,
  method: string,
  path: string,
  body?: object,
  ended?: AbortSignal,
): Promise<T | undefined> {
  if (!URL.canParse(url)) throw new WrongUse(`${url} is no address such as http://127.0.0.1:8080`)
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const target = url.replace(/\/$/, '') + path
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended])
  const sent = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) }
  const response = await fetch(target, sent).catch((error: unknown) => {
    throw new Unreachable(`${url} cannot be reached: ${describe(error)}`)
  })
  if (response.status === 404) return undefined
  if (response.status === 401) throw new WrongUse(`${url} does not take this operator key`)
  if (REFUSALS.includes(response.status)) throw new WrongUse(`${url} refuses: ${await response.text()}`)
  if (!response.ok) throw new Unreachable(`${target} answered ${response.status}`)
  return (response.status === 204 ? null : await response.json()) as T
}

const REFUSALS = [400, 403, 409, 410, 422]

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
