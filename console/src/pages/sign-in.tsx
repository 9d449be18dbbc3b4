/** The door: a name and a password, or a key; then a cookie that no script can read. In the sandbox, on this machine, one click. */
import { type FormEvent, useState } from 'react'
import type { ConsoleSetup, Credentials } from '../console-api.ts'
import icon from '../look/icon.svg'
import './sign-in.css'

const SETTING = { wallet: 'OPERATOR_API_KEY', platform: 'PLATFORM_API_KEY' }

export function SignIn({ setup, enter }: { setup: ConsoleSetup; enter: (proof: Credentials) => Promise<void> }) {
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isByKey, setByKey] = useState(setup.isSandbox)
  const go = async (proof: Credentials) => {
    setBusy(true)
    setFault(undefined)
    await enter(proof).catch((error: unknown) => setFault(error instanceof Error ? error.message : 'that did not work'))
    setBusy(false)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name) ?? '')
    void go(isByKey ? { key: given('key').trim() } : { name: given('name').trim(), password: given('password') })
  }
  return (
    <main className="door">
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
              Not signed in: {fault}.
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
            What runs here, its keys and its last bets: <a href="/sandbox">the sandbox’s own page</a>, without signing
            in.
          </p>
        )}
      </div>
    </main>
  )
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
        The {server}'s <code>{SETTING[server]}</code>, or a named key. You may do here what its role may do.
      </p>
    </>
  )
}
