/** One of our own APIs, read by a command of ours over HTTP. */
import { findUrlFault, withoutEndSlashes } from '../protocol/base-url.ts'
import { isObject, objectIn } from '../protocol/json.ts'
import { userAgent } from '../runtime/version.ts'
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
  api: OwnApi,
  method: string,
  path: string,
  body?: object,
  ended?: AbortSignal,
): Promise<T | undefined> {
  const response = await send(api, method, path, body, ended)
  return response.status === 404 ? undefined : read(api, path, response)
}

/** What is there; or that it is not, in the server's words if it has any. */
export type Asked<T> =
  | { readonly kind: 'found'; readonly found: T }
  | { readonly kind: 'missing'; readonly detail?: string }

export async function lookFor<T>(api: OwnApi, path: string): Promise<Asked<T>> {
  const response = await send(api, 'GET', path)
  if (response.status !== 404) return { kind: 'found', found: await read(api, path, response) }
  const { detail } = objectIn(await response.text()) ?? {}
  return { kind: 'missing', ...(typeof detail === 'string' && { detail }) }
}

async function send(
  { url, key }: OwnApi,
  method: string,
  path: string,
  body?: object,
  ended?: AbortSignal,
): Promise<Response> {
  const fault = findUrlFault(url, 'api')
  if (fault !== undefined) throw new WrongUse(`the address of the API ${fault}`)
  const headers = {
    authorization: `Bearer ${key}`,
    'user-agent': userAgent('command'),
    ...(body && { 'content-type': 'application/json' }),
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended])
  const sent = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) }
  return fetch(targetOf(url, path), sent).catch((error: unknown) => {
    throw new Unreachable(`${url} cannot be reached: ${describe(error)}`)
  })
}

async function read<T>({ url }: OwnApi, path: string, response: Response): Promise<T> {
  if (response.status === 401) throw new WrongUse(`${url} does not take this operator key`)
  if (REFUSALS.includes(response.status)) throw new WrongUse(`${url} refuses: ${whyIn(await response.text())}`)
  if (!response.ok) throw new Unreachable(`${targetOf(url, path)} answered ${response.status}`)
  return (response.status === 204 ? null : await response.json()) as T
}

/** Of a problem what is wrong with what, for a person. */
function whyIn(text: string): string {
  const { detail, errors } = objectIn(text) ?? {}
  const faults = Array.isArray(errors) ? errors.filter(isObject) : []
  if (faults.length > 0) return faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')
  return typeof detail === 'string' ? detail : text
}

function targetOf(url: string, path: string): string {
  return withoutEndSlashes(url) + path
}

const REFUSALS = [400, 403, 409, 410, 422]

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
