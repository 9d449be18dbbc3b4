/**
 * Day input in the form 2026-11-25, because a native date field uses the browser's language. A
 * button opens the browser's calendar.
 */
import { useEffect, useRef, useState } from 'react'
import { dayOf } from '../charts/days.ts'
import './day-input.css'

interface Props {
  /** For the label of the field. */
  readonly id: string
  readonly value: string
  readonly max: string
  /** The field cannot be emptied. */
  readonly isNeeded?: boolean
  set(day: string): void
}

export function DayInput({ id, value, max, isNeeded = false, set }: Props) {
  const [text, setText] = useState(value)
  const calendar = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  const take = (typed: string) => {
    setText(typed)
    if (typed === '' ? !isNeeded : isDay(typed) && typed <= max) set(typed)
  }
  return (
    <span className="day-input">
      <input
        id={id}
        value={text}
        placeholder="yyyy-mm-dd"
        inputMode="numeric"
        maxLength={10}
        size={10}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={text !== '' && !(isDay(text) && text <= max)}
        onChange={({ target }) => take(target.value)}
        onBlur={() => setText(value)}
      />
      <button type="button" aria-label="Calendar" onClick={() => calendar.current?.showPicker()}>
        ▾
      </button>
      <input
        ref={calendar}
        className="day-calendar"
        type="date"
        tabIndex={-1}
        aria-hidden="true"
        value={value}
        max={max}
        onChange={({ target }) => take(target.value)}
      />
    </span>
  )
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && dayOf(time) === text
}
