/**
 * Sign-in page: name and password, or a key. The server sets a cookie that no script can read. In
 * the sandbox, one click signs in.
 */
import { type FormEvent, useState } from 'react'
import { ApiProblem, type ConsoleSetup, type Credentials } from '../../app/console-api.ts'
import { capital } from '../../shared/charts/format.tsx'
import icon from '../../shared/look/icon.svg'
import './sign-in.css'

const SETTING = { wallet: 'OPERATOR_API_KEY', platform: 'PLATFORM_API_KEY' }

export function SignIn({ setup, enter }: { setup: ConsoleSetup; enter: (proof: Credentials) => Promise<void> }) {
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isByKey, setByKey] = useState(setup.isSandbox)
  const go = async (proof: Credentials) => {
    setBusy(true)
    setFault(undefined)
    await enter(proof).catch((error: unknown) => setFault(describeFailure(error, isByKey)))
    setBusy(false)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name) ?? '')
    void go(isByKey ? { key: given('key').trim() } : { name: given('name').trim(), password: given('password') })
  }
  return (
    <main className="sign-in-page">
      <div className="card">
        <img src={icon} alt="" width="40" height="40" />
        <h1>Purser</h1>
        <p className="muted">
          The console of this {setup.server}
          {setup.isSandbox ? ' and its sandbox' : ''}.
        </p>
        {setup.mayEnter && (
          <button type="button" className="button main-one" disabled={isBusy} onClick={() => void go({})}>
            Open the sandbox
          </button>
        )}
        <form onSubmit={submit}>
          {isByKey ? <KeyField server={setup.server} /> : <NameFields />}
          {fault !== undefined && (
            <p className="notice" role="alert">
              {fault}
            </p>
          )}
          <button type="submit" className={setup.mayEnter ? 'button' : 'button main-one'} disabled={isBusy}>
            Sign in
          </button>
        </form>
        <button type="button" className="button quiet" onClick={() => setByKey(!isByKey)}>
          {isByKey ? 'Use a name and a password' : 'Use an API key'}
        </button>
        {setup.isSandbox && (
          <p className="muted small">
            The <a href="/sandbox">sandbox page</a> shows the servers, their keys and the last bets. It needs no
            sign-in.
          </p>
        )}
      </div>
    </main>
  )
}

/** The server reveals neither the wrong part nor whether a name is locked. */
function describeFailure(error: unknown, isByKey: boolean): string {
  if (error instanceof ApiProblem && error.status === 401)
    return isByKey
      ? 'This API key isn’t valid.'
      : 'Wrong name or password. After several wrong passwords a name is locked for a while.'
  return `${capital(error instanceof Error ? error.message : 'something went wrong')}.`
}

function NameFields() {
  return (
    <>
      <label className="field">
        <span>Name</span>
        <input name="name" autoComplete="username" spellCheck={false} autoCapitalize="none" required />
      </label>
      <label className="field">
        <span>Password</span>
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
    </>
  )
}

function KeyField({ server }: { server: ConsoleSetup['server'] }) {
  return (
    <>
      <label className="field">
        <span>API key</span>
        <input name="key" type="password" autoComplete="off" spellCheck={false} required aria-describedby="which" />
      </label>
      <p id="which" className="muted small">
        The {server}'s <code>{SETTING[server]}</code>, or a named key. You get the permissions of the key’s role.
      </p>
    </>
  )
}
