/**
 * Session of the console: the signed-in user, the settings of the server, and the APIs that the
 * console can reach.
 */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import {
  type ApiBases,
  type ConsoleSetup,
  type Credentials,
  callApi,
  getJson,
  type Person,
  toApiBases,
} from './console-api.ts'

export interface ConsoleSession {
  readonly setup: ConsoleSetup
  readonly person: Person
  readonly bases: ApiBases
  leave(): Promise<void>
}

const Context = createContext<ConsoleSession | undefined>(undefined)

export function useSession(): ConsoleSession {
  const session = useContext(Context)
  if (session === undefined) throw new Error('used outside of a session')
  return session
}

export function hasRole({ role }: Person, least: Person['role']): boolean {
  const roles = ['read', 'support', 'cash', 'admin']
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** Shows the sign-in page and deletes all loaded data. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(['session'], null)
  client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' && name !== 'setup' })
}

interface Props {
  readonly children: ReactNode
  /** For a user who must choose a new password. */
  readonly newPassword: (person: Person, done: () => unknown, leave: () => unknown) => ReactNode
  readonly signIn: (setup: ConsoleSetup, enter: (proof: Credentials) => Promise<void>) => ReactNode
  readonly waiting: ReactNode
  readonly fault: (error: unknown, again: () => unknown) => ReactNode
}

export function SessionGate({ children, newPassword, signIn, waiting, fault }: Props) {
  const client = useQueryClient()
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: () => getJson<ConsoleSetup>('/console/api/setup'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const person = useQuery({
    queryKey: ['session'],
    queryFn: async () => (await getJson<Person | undefined>('/console/api/session')) ?? null,
    staleTime: 60_000,
  })
  const failed = [setup, person].find(({ data, isError }) => data === undefined && isError)
  if (failed !== undefined) return fault(failed.error, () => client.refetchQueries())
  if (setup.data === undefined || person.data === undefined) return waiting
  const enter = async (proof: Credentials) => {
    const entered = await callApi<Person>('POST', '/console/api/session', proof)
    client.setQueryData(['session'], entered)
  }
  if (person.data === null) return signIn(setup.data, enter)
  const leave = async () => {
    await callApi('DELETE', '/console/api/session')
    forgetSession(client)
  }
  if (person.data.mustChange) return newPassword(person.data, () => person.refetch(), leave)
  return (
    <Context value={{ setup: setup.data, person: person.data, bases: toApiBases(setup.data), leave }}>
      {children}
    </Context>
  )
}

/** The key that comes from a setting is the root key. */
export function displayName({ name }: Pick<Person, 'name'>): string {
  return name === 'OPERATOR_API_KEY' || name === 'PLATFORM_API_KEY' ? 'Root key' : name
}

const ROLE_TITLES: Readonly<Record<Person['role'], string>> = {
  read: 'Viewer',
  support: 'Support',
  cash: 'Cashier',
  admin: 'Admin',
}

/** The role's name on pages. The API and the settings use the short name. */
export const roleTitle = (role: Person['role']): string => ROLE_TITLES[role]
