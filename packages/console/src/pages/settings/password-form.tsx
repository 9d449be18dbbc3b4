/** Form with which users change their own password. */
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { callApi } from '../../app/console-api.ts'

export function OwnPassword() {
  return (
    <section className="card" aria-label="Your password">
      <header>
        <h2>Your password</h2>
      </header>
      <PasswordForm />
    </section>
  )
}

export function PasswordForm({ done }: { done?(): unknown }) {
  const change = useMutation({
    mutationFn: (body: { password: string; next: string }) => callApi('POST', '/console/api/password', body),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const [password, next] = ['password', 'next'].map((name) => String(new FormData(form).get(name) ?? ''))
    change.mutate(
      { password: password ?? '', next: next ?? '' },
      { onSuccess: () => (done === undefined ? form.reset() : done()) },
    )
  }
  return (
    <>
      <form className="line-form" onSubmit={submit}>
        <label className="field">
          <span>Current password</span>
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <label className="field">
          <span>New password (at least 12 characters)</span>
          <input name="next" type="password" autoComplete="new-password" minLength={12} maxLength={256} required />
        </label>
        <button type="submit" className="button" disabled={change.isPending}>
          Change password
        </button>
      </form>
      {change.error !== null && (
        <p className="notice" role="alert">
          The password was not changed: {change.error.message}.
        </p>
      )}
      {change.isSuccess && (
        <p className="more" role="status">
          The password was changed. Your other sessions have ended.
        </p>
      )}
    </>
  )
}
