/** The filter for one player: it takes a whole id, and offers those that begin as what is typed, by their ids or nicknames. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { part, read } from './api.ts'
import { WordField } from './filters.tsx'

interface Listed {
  readonly userId: string
  readonly customFields?: { readonly nickname?: string }
}

const MOST = 10
/** Milliseconds without a key, after which is asked. */
const PAUSE_MS = 200

export function PlayerField({ value, set }: { value: string; set(value: string): void }) {
  const offers = useId()
  const [typed, setTyped] = useState('')
  const text = usePaused(typed.trim())
  const { data } = useQuery({
    queryKey: ['players offered', text],
    queryFn: ({ signal }) => read<{ data: Listed[] }>(`/operator/players?limit=${MOST}&q=${part(text)}`, signal),
    enabled: text !== '',
    placeholderData: (before) => before,
    retry: false,
  })
  return (
    <>
      <WordField name="Player" value={value} set={(one) => set(one.trim())} isWide offers={offers} typed={setTyped} />
      <datalist id={offers}>
        {text !== '' &&
          data?.data.map(({ userId, customFields }) => (
            <option key={userId} value={userId}>
              {customFields?.nickname}
            </option>
          ))}
      </datalist>
    </>
  )
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
