/** Who is signed in, and what this console is served by. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { ask, type Bases, basesOf, type Person, type Proof, read, type Setup } from './api.ts'

export interface Session {
  readonly setup: Setup
  readonly person: Person
  readonly bases: Bases
  leave(): Promise<void>
}

const Context = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(Context)
  if (session === undefined) throw new Error('used outside of a session')
  return session
}

export function mayDo({ role }: Person, least: Person['role']): boolean {
  const roles = ['read', 'support', 'cash', 'admin']
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** Back to the door, and nothing of what was seen is kept. */
export function forget(client: QueryClient): void {
  client.setQueryData(['session'], null)
  client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' && name !== 'setup' })
}

interface Props {
  readonly children: ReactNode
  /** For a person who must choose a password first. */
  readonly newPassword: (person: Person, done: () => unknown, leave: () => unknown) => ReactNode
  readonly signIn: (setup: Setup, enter: (proof: Proof) => Promise<void>) => ReactNode
  readonly waiting: ReactNode
  readonly fault: (error: unknown, again: () => unknown) => ReactNode
}

export function SessionGate({ children, newPassword, signIn, waiting, fault }: Props) {
  const client = useQueryClient()
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: () => read<Setup>('/console/api/setup'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const person = useQuery({
    queryKey: ['session'],
    queryFn: async () => (await read<Person | undefined>('/console/api/session')) ?? null,
    staleTime: 60_000,
  })
  const failed = [setup, person].find(({ data, isError }) => data === undefined && isError)
  if (failed !== undefined) return fault(failed.error, () => client.refetchQueries())
  if (setup.data === undefined || person.data === undefined) return waiting
  const enter = async (proof: Proof) => {
    const entered = await ask<Person>('POST', '/console/api/session', proof)
    client.setQueryData(['session'], entered)
  }
  if (person.data === null) return signIn(setup.data, enter)
  const leave = async () => {
    await ask('DELETE', '/console/api/session')
    forget(client)
  }
  if (person.data.mustChange) return newPassword(person.data, () => person.refetch(), leave)
  return (
    <Context value={{ setup: setup.data, person: person.data, bases: basesOf(setup.data), leave }}>{children}</Context>
  )
}

/** The key of a setting is the first one, wherever people read of it. */
export function nameOf({ name }: Pick<Person, 'name'>): string {
  return name === 'OPERATOR_API_KEY' || name === 'PLATFORM_API_KEY' ? 'first key' : name
}
