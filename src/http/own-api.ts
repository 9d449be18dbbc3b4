/** One of our own APIs, read by a command of ours over HTTP. */
import { Unreachable, WrongUse } from '../runtime/wrong-use.ts'

export interface OwnApi {
  readonly url: string
  readonly key: string
}

/** Milliseconds for one answer. */
const TIMEOUT_MS = 30_000

/** Undefined when it is not there. Throws with what to do: no such host, another key, a role that is too small. */
export async function getFrom<T>({ url, key }: OwnApi, path: string, ended?: AbortSignal): Promise<T | undefined> {
  const headers = { authorization: `Bearer ${key}` }
  const target = url.replace(/\/$/, '') + path
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended])
  const response = await fetch(target, { headers, signal }).catch((error: unknown) => {
    throw new Unreachable(`${url} cannot be reached: ${describe(error)}`)
  })
  if (response.status === 404) return undefined
  if (response.status === 401) throw new WrongUse(`${url} does not take this operator key`)
  if ([400, 403, 410].includes(response.status)) throw new WrongUse(`${url} refuses: ${await response.text()}`)
  if (!response.ok) throw new Unreachable(`${target} answered ${response.status}`)
  return (await response.json()) as T
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
