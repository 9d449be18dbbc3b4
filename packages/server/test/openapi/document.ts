/** Reads a committed OpenAPI document, and finds its operations and schemas for tests. */
import { readFileSync } from 'node:fs'
import { Compile } from 'typebox/schema'

export type Node = { [member: string]: unknown }
export interface Media {
  schema: Node
  examples?: Record<string, { summary: string; value: unknown }>
}
export interface Operation {
  /** Method and path. */
  name: string
  path: string
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema: Node; example?: unknown }[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
}
export interface Document {
  openapi: string
  info: Node
  tags: { name: string }[]
  paths: Record<string, Record<string, Omit<Operation, 'name' | 'path'>>>
  components: { schemas: Record<string, Node>; securitySchemes: Record<string, Node> }
}

export function readDocument(server: 'wallet' | 'platform' | 'gateway'): Document {
  return JSON.parse(readFileSync(new URL(`../../openapi/${server}.json`, import.meta.url), 'utf8'))
}

export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      ...operation,
    })),
  )
}

/** The value itself, then every object and array inside it. */
export function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Node, ...Object.values(value).flatMap(nodesIn)]
}

export function referencesIn(value: unknown): string[] {
  return nodesIn(value).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
}

export function target(document: Document, reference: string): unknown {
  const steps = reference.replace('#/', '').split('/')
  return steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document)
}

/** Replaces every `$ref` by its schema. No schema of these documents is recursive. */
export function resolved(document: Document, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(document, item))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') return resolved(document, target(document, value.$ref))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(document, member)]))
}

export function faultsOf(document: Document, schema: Node, value: unknown): unknown[] {
  const [, faults] = Compile(resolved(document, schema) as Node).Errors(value)
  return faults
}

export function mediaOf({ requestBody, responses }: Operation): [string, Media][] {
  const bodies = Object.entries(responses).map(([status, { content }]) => [status, content] as const)
  return [['request', requestBody?.content] as const, ...bodies].flatMap(([where, content]) =>
    Object.values(content ?? {}).map((media): [string, Media] => [where, media]),
  )
}
