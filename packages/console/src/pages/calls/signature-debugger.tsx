/**
 * Debugger for a signature. It shows which step of the verification fails for a given header, body
 * and secret.
 */
import { type FormEvent, useState } from 'react'
import { checkSignature, type SignatureStep } from '../../shared/data/signature-check.ts'

export function SignatureDebugger() {
  const [steps, setSteps] = useState<readonly SignatureStep[]>([])
  const [fault, setFault] = useState<string>()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name) ?? '')
    setFault(undefined)
    checkSignature(given('header'), given('body'), given('secret')).then(setSteps, (error: Error) =>
      setFault(error.message),
    )
  }
  return (
    <details className="card signature">
      <summary>Signature debugger</summary>
      <form className="body" onSubmit={submit}>
        <p className="muted small">The browser checks the signature. It sends neither the secret nor the body.</p>
        <label className="field">
          <span>
            Header <code>x-sign-jws</code>
          </span>
          <input name="header" required spellCheck={false} autoComplete="off" />
        </label>
        <label className="field">
          <span>Body, byte for byte</span>
          <textarea name="body" rows={4} required spellCheck={false} />
        </label>
        <label className="field">
          <span>Secret</span>
          <input name="secret" type="password" required autoComplete="off" />
        </label>
        <button type="submit" className="button main-one">
          Check signature
        </button>
        {fault !== undefined && (
          <p className="notice" role="alert">
            Something went wrong: {fault}.
          </p>
        )}
        <ol className="steps" aria-live="polite">
          {steps.map(({ description, isGood, detail }) => (
            <li key={description} className={isGood ? 'good' : 'bad'}>
              <span aria-hidden="true">{isGood ? '✓' : '✕'}</span>
              <span>
                {description}
                <span className="vh">{isGood ? ': valid' : ': invalid'}</span>
                <span className="small muted step-detail">{detail}</span>
              </span>
            </li>
          ))}
        </ol>
      </form>
    </details>
  )
}
