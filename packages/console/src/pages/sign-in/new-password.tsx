/** The page on which users must change a password that another user has set (U-4). */
import type { Person } from '../../app/console-api.ts'
import icon from '../../shared/look/icon.svg'
import { PasswordForm } from '../settings/password-form.tsx'
import './sign-in.css'

interface Props {
  readonly person: Person
  done(): unknown
  leave(): unknown
}

export function NewPassword({ person, done, leave }: Props) {
  return (
    <main className="sign-in-page">
      <div className="card">
        <img src={icon} alt="" width="40" height="40" />
        <h1>New password</h1>
        <p className="muted">
          Your password was set by someone else. Choose your own, {person.name}; only you will know it.
        </p>
        <PasswordForm done={done} />
        <button type="button" className="button quiet" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
    </main>
  )
}
