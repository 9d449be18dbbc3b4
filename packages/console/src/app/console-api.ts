/**
 * Calls the documented APIs as the signed-in user. The APIs, not the console, check the user's
 * rights.
 */
import { dropPrefetched, takePrefetched } from './prefetch.ts'
import { requestHeaders } from './request-headers.ts'

export class ApiProblem extends Error {
  readonly status: number
  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
  }
}

export async function callApi<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const headers = { ...requestHeaders(), ...(body && { 'content-type': 'application/json' }) }
  const options = {
    method,
    headers,
    credentials: 'same-origin' as const,
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  if (method !== 'GET') dropPrefetched()
  const prefetched = method === 'GET' ? await takePrefetched(path) : undefined
  const response = prefetched ?? (await fetch(path, options))
  const text = await response.text()
  if (!response.ok) throw new ApiProblem(response.status, describeProblem(text, response.status))
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** An error response throws, so it is never saved as the file. */
export async function downloadFile(path: string, type: string): Promise<Blob> {
  const response = await fetch(path, { headers: { ...requestHeaders(), accept: type }, credentials: 'same-origin' })
  if (!response.ok) throw new ApiProblem(response.status, describeProblem(await response.text(), response.status))
  return response.blob()
}

export const getJson = <T>(path: string, signal?: AbortSignal) => callApi<T>('GET', path, undefined, signal)

interface Problem {
  readonly detail?: string
  readonly title?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

function describeProblem(text: string, status: number): string {
  try {
    const { detail, title, errors = [] } = JSON.parse(text) as Problem
    const why = errors.map((one) => `${one.pointer.split('/').at(-1)} ${one.detail}`).join(', ')
    return [detail ?? title ?? `answered ${status}`, why].filter((words) => words !== '').join(': ')
  } catch {
    return `answered ${status}`
  }
}

/** Undefined for 404 and 403. */
export async function getJsonOrNone<T>(path: string, signal?: AbortSignal): Promise<T | undefined> {
  return getJson<T>(path, signal).catch((error: unknown) => {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 403)) return undefined
    throw error
  })
}

export interface ConsoleSetup {
  readonly server: 'wallet' | 'platform'
  readonly isSandbox: boolean
  readonly mayEnter: boolean
}

export interface Person {
  readonly name: string
  readonly role: 'read' | 'support' | 'cash' | 'admin'
  /** False if the user signed in with a key. */
  readonly isPerson: boolean
  /** True after another user has set the password. Until it is changed, no page is open. */
  readonly mustChange?: boolean
}

/** Empty for the sandbox, which needs no credentials. */
export type Credentials =
  | { readonly name: string; readonly password: string }
  | { readonly key: string }
  | Record<string, never>

/** For query strings. Paths use `encodePathSegment`. */
export const encodeQueryPart = encodeURIComponent

export interface ApiBases {
  readonly wallet: boolean
  readonly platform: string | undefined
  /** The id under which the platform knows this page's wallet. */
  readonly partner: string | undefined
}

/** The APIs of this console. The sandbox's wallet serves both. */
export function toApiBases({ server, isSandbox }: ConsoleSetup): ApiBases {
  if (server === 'platform') return { wallet: false, platform: '', partner: undefined }
  if (!isSandbox) return { wallet: true, platform: undefined, partner: undefined }
  return { wallet: true, platform: '/sandbox/platform', partner: 'sandbox' }
}
