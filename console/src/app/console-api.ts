/** Calls to the documented APIs by whoever is signed in. What a page may see is decided there, not here. */
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

/** A file, and not what the server says in its place. */
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

/** Undefined for what is not there. */
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
  /** Signed in by name; else with a key. */
  readonly isPerson: boolean
  /** Another person has set the password: nothing else is open before it is changed. */
  readonly mustChange?: boolean
}

/** How somebody signs in; empty: by the sandbox's one click. */
export type Credentials =
  | { readonly name: string; readonly password: string }
  | { readonly key: string }
  | Record<string, never>

/** In a query; in a path it is `encodePathSegment`. */
export const encodeQueryPart = encodeURIComponent

export interface ApiBases {
  readonly wallet: boolean
  readonly platform: string | undefined
  /** Of that platform's partners, the one whose wallet serves this page too. */
  readonly partner: string | undefined
}

/** Where each API is, if this console has it: in the sandbox the wallet's has both. */
export function toApiBases({ server, isSandbox }: ConsoleSetup): ApiBases {
  if (server === 'platform') return { wallet: false, platform: '', partner: undefined }
  if (!isSandbox) return { wallet: true, platform: undefined, partner: undefined }
  return { wallet: true, platform: '/sandbox/platform', partner: 'sandbox' }
}
