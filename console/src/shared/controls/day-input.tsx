/** A day as every page writes it, 2026-11-25: a native date field shows it as the browser's language does. The browser's calendar is behind its button. */
import { useEffect, useRef, useState } from 'react'
import { dayOf } from '../charts/days.ts'
import './day-input.css'

interface Props {
  /** Of the field, for its label. */
  readonly id: string
  readonly value: string
  readonly max: string
  /** There is no list without it, so that it cannot be emptied. */
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
