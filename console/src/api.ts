/** Calls to the documented APIs by whoever is signed in. What a page may see is decided there, not here. */
import { early, forgetEarly } from './early.ts'
import { ours } from './ours.ts'

export class ApiProblem extends Error {
  readonly status: number
  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
  }
}

export async function ask<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const headers = { ...ours(), ...(body && { 'content-type': 'application/json' }) }
  const sent = {
    method,
    headers,
    credentials: 'same-origin' as const,
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  if (method !== 'GET') forgetEarly()
  const begun = method === 'GET' ? await early(path) : undefined
  const response = begun ?? (await fetch(path, sent))
  const text = await response.text()
  if (!response.ok) throw new ApiProblem(response.status, detailOf(text, response.status))
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** A file, and not what the server says in its place. */
export async function fileOf(path: string, type: string): Promise<Blob> {
  const response = await fetch(path, { headers: { ...ours(), accept: type }, credentials: 'same-origin' })
  if (!response.ok) throw new ApiProblem(response.status, detailOf(await response.text(), response.status))
  return response.blob()
}

export const read = <T>(path: string, signal?: AbortSignal) => ask<T>('GET', path, undefined, signal)

interface Problem {
  readonly detail?: string
  readonly title?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

function detailOf(text: string, status: number): string {
  try {
    const { detail, title, errors = [] } = JSON.parse(text) as Problem
    const why = errors.map((one) => `${one.pointer.split('/').at(-1)} ${one.detail}`).join(', ')
    return [detail ?? title ?? `answered ${status}`, why].filter((words) => words !== '').join(': ')
  } catch {
    return `answered ${status}`
  }
}

/** Undefined for what is not there. */
export async function readOrNone<T>(path: string, signal?: AbortSignal): Promise<T | undefined> {
  return read<T>(path, signal).catch((error: unknown) => {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 403)) return undefined
    throw error
  })
}

export interface Setup {
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
export type Proof =
  | { readonly name: string; readonly password: string }
  | { readonly key: string }
  | Record<string, never>

/** In a query; in a path it is `pathPart`. */
export const part = encodeURIComponent

export interface Bases {
  readonly wallet: boolean
  readonly platform: string | undefined
  /** Of that platform's partners, the one whose wallet serves this page too. */
  readonly partner: string | undefined
}

/** Where each API is, if this console has it: in the sandbox the wallet's has both. */
export function basesOf({ server, isSandbox }: Setup): Bases {
  if (server === 'platform') return { wallet: false, platform: '', partner: undefined }
  if (!isSandbox) return { wallet: true, platform: undefined, partner: undefined }
  return { wallet: true, platform: '/sandbox/platform', partner: 'sandbox' }
}
