/** The door: a key once, then a cookie that no script can read. In the sandbox, on this machine, one click. */
import { type FormEvent, useState } from 'react'
import type { Setup } from '../api.ts'
import icon from '../look/icon.svg'
import './sign-in.css'

const SETTING = { wallet: 'OPERATOR_API_KEY', platform: 'PLATFORM_API_KEY' }

export function SignIn({ setup, enter }: { setup: Setup; enter: (key?: string) => Promise<void> }) {
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const go = async (key?: string) => {
    setBusy(true)
    setFault(undefined)
    await enter(key).catch((error: unknown) => setFault(error instanceof Error ? error.message : 'that did not work'))
    setBusy(false)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = new FormData(event.currentTarget).get('key')
    if (typeof key === 'string' && key.trim() !== '') void go(key.trim())
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
          <button type="button" className="button main-one" disabled={isBusy} onClick={() => void go()}>
            Open the sandbox
          </button>
        )}
        <form onSubmit={submit}>
          <label className="field">
            <span>API key</span>
            <input
              name="key"
              type="password"
              autoComplete="current-password"
              spellCheck={false}
              required
              aria-describedby="which"
            />
          </label>
          <p id="which" className="muted small">
            The {setup.server}'s <code>{SETTING[setup.server]}</code>, or a named key. You may do here what its role may
            do.
          </p>
          {fault !== undefined && (
            <p className="notice" role="alert">
              Not signed in: {fault}.
            </p>
          )}
          <button type="submit" className={setup.mayEnter ? 'button' : 'button main-one'} disabled={isBusy}>
            Sign in
          </button>
        </form>
      </div>
    </main>
  )
}
