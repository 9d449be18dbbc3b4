/** HTTP client through which `purser` commands call the APIs of Purser's servers. */

import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import { userAgent } from '@purser/runtime/version'
import { findUrlFault, trimEndSlashes } from '../values/base-url.ts'
import { isObject, parseJsonObject } from '../values/exact-json.ts'

export interface ApiEndpoint {
  readonly url: string
  readonly key: string
}

/** Milliseconds until the complete answer. */
const TIMEOUT_MS = 30_000

/**
 * Undefined for a 404. Throws an error with the remedy for an unreachable host, a wrong key, or a
 * key with too few rights.
 */
export function getFromApi<T>(api: ApiEndpoint, path: string, abortSignal?: AbortSignal): Promise<T | undefined> {
  return callApi(api, 'GET', path, undefined, abortSignal)
}

/** Undefined if the answer is 404, null if it has no body. */
export async function callApi<T>(
  api: ApiEndpoint,
  method: string,
  path: string,
  body?: object,
  abortSignal?: AbortSignal,
): Promise<T | undefined> {
  const response = await sendRequest(api, method, path, body, abortSignal)
  return response.status === 404 ? undefined : readResponse(api, path, response)
}

/** `detail`: the server's reason why the object is missing. */
export type FindResult<T> =
  | { readonly kind: 'found'; readonly found: T }
  | { readonly kind: 'missing'; readonly detail?: string }

export async function findInApi<T>(api: ApiEndpoint, path: string): Promise<FindResult<T>> {
  const response = await sendRequest(api, 'GET', path)
  if (response.status !== 404) return { kind: 'found', found: await readResponse(api, path, response) }
  const { detail } = parseJsonObject(await response.text()) ?? {}
  return { kind: 'missing', ...(typeof detail === 'string' && { detail }) }
}

async function sendRequest(
  { url, key }: ApiEndpoint,
  method: string,
  path: string,
  body?: object,
  abortSignal?: AbortSignal,
): Promise<Response> {
  const fault = findUrlFault(url, 'api')
  if (fault !== undefined) throw new UsageError(`the address of the API ${fault}`)
  const headers = {
    authorization: `Bearer ${key}`,
    'user-agent': userAgent('command'),
    ...(body && { 'content-type': 'application/json' }),
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = abortSignal === undefined ? timeout : AbortSignal.any([timeout, abortSignal])
  const sent = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) }
  return fetch(joinUrl(url, path), sent).catch((error: unknown) => {
    throw new UnavailableError(`${url} cannot be reached: ${describeFetchError(error)}`)
  })
}

async function readResponse<T>({ url }: ApiEndpoint, path: string, response: Response): Promise<T> {
  if (response.status === 401)
    throw new UsageError(`${url} rejected this operator key: use a valid key of the operator API`)
  if (REFUSAL_STATUSES.includes(response.status))
    throw new UsageError(`${url} rejected the request: ${describeRefusal(await response.text())}`)
  if (!response.ok) throw new UnavailableError(`${joinUrl(url, path)} answered ${response.status}`)
  return (response.status === 204 ? null : await response.json()) as T
}

/** A problem (RFC 9457) as text: each pointer with its fault, or else the detail. */
function describeRefusal(text: string): string {
  const { detail, errors } = parseJsonObject(text) ?? {}
  const faults = Array.isArray(errors) ? errors.filter(isObject) : []
  if (faults.length > 0) return faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')
  return typeof detail === 'string' ? detail : text
}

function joinUrl(url: string, path: string): string {
  return trimEndSlashes(url) + path
}

const REFUSAL_STATUSES = [400, 403, 409, 410, 422]

function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
