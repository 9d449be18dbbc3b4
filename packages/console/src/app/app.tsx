/**
 * Routes of the console. Pages are loaded on demand, except the page of a bet, which must open
 * quickly.
 */

import { decodePathSegment } from '@purser/protocol/values/path-segment'
import { lazy, Suspense } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { BetPage } from '../pages/bet/bet-page.tsx'
import { NewPassword } from '../pages/sign-in/new-password.tsx'
import { SignIn } from '../pages/sign-in/sign-in.tsx'
import { Hints } from '../shared/controls/hint-card.tsx'
import { EmptyState, ErrorMessage, LoadingSkeleton } from '../shared/controls/page-states.tsx'
import { SessionGate, useSession } from './console-session.tsx'
import { LiveProvider } from './live-updates.tsx'
import { Shell } from './page-shell.tsx'
import { isDevPath } from './prefetch.ts'

const Bets = lazy(() => import('../pages/bets/bets-page.tsx').then(({ BetsPage }) => ({ default: BetsPage })))
const Now = lazy(() => import('../pages/now/overview-page.tsx').then(({ OverviewPage }) => ({ default: OverviewPage })))
const Calls = lazy(() => import('../pages/calls/calls-page.tsx').then(({ CallsPage }) => ({ default: CallsPage })))
const Players = lazy(() =>
  import('../pages/player/players-page.tsx').then(({ PlayersPage }) => ({ default: PlayersPage })),
)
const Money = lazy(() => import('../pages/money/money-page.tsx').then(({ MoneyPage }) => ({ default: MoneyPage })))
const Transfers = lazy(() =>
  import('../pages/money/transfers-page.tsx').then(({ TransfersPage }) => ({ default: TransfersPage })),
)
const Reports = lazy(() =>
  import('../pages/reports/reports-page.tsx').then(({ ReportsPage }) => ({ default: ReportsPage })),
)
const Conformance = lazy(() =>
  import('../pages/conformance/conformance-page.tsx').then(({ ConformancePage }) => ({ default: ConformancePage })),
)
const Deliveries = lazy(() =>
  import('../pages/deliveries/deliveries-page.tsx').then(({ DeliveriesPage }) => ({ default: DeliveriesPage })),
)
const Settings = lazy(() =>
  import('../pages/settings/settings-page.tsx').then(({ SettingsPage }) => ({ default: SettingsPage })),
)
const Find = lazy(() => import('../pages/search/search-page.tsx').then(({ SearchPage }) => ({ default: SearchPage })))
const Player = lazy(() => import('../pages/player/player-page.tsx').then(({ PlayerPage }) => ({ default: PlayerPage })))
const Dev = lazy(() => import('../pages/dev/dev-page.tsx').then(({ DevPage }) => ({ default: DevPage })))
const Demo = lazy(() => import('../pages/demo/demo-page.tsx').then(({ DemoPage }) => ({ default: DemoPage })))

export function App() {
  if (isDevPath(location.pathname))
    return (
      <Suspense fallback={<LoadingSkeleton />}>
        <Dev />
        <Hints />
      </Suspense>
    )
  return <ConsoleApp />
}

function ConsoleApp() {
  return (
    <SessionGate
      newPassword={(person, done, leave) => <NewPassword person={person} done={done} leave={leave} />}
      signIn={(setup, enter) => <SignIn setup={setup} enter={enter} />}
      waiting={<LoadingSkeleton />}
      fault={(error, again) => <ErrorMessage error={error} again={again} />}
    >
      <LiveProvider>
        <Router base="/console">
          <Shell>
            <Suspense fallback={<LoadingSkeleton />}>
              <Switch>
                <Route path="/">
                  <Start />
                </Route>
                <Route path="/demo" component={Demo} />
                <Route path="/now" component={Now} />
                <Route path="/bets" component={Bets} />
                <Route path="/bets/:user/:bet">
                  {({ user, bet }) => <BetPage key={bet} user={decodePathPart(user)} bet={decodePathPart(bet)} />}
                </Route>
                <Route path="/bets/:bet">{({ bet }) => <BetPage key={bet} bet={decodePathPart(bet)} />}</Route>
                <Route path="/calls" component={Calls} />
                <Route path="/find" component={Find} />
                <Route path="/players" component={Players} />
                <Route path="/money" component={Money} />
                <Route path="/money/transfers" component={Transfers} />
                <Route path="/reports" component={Reports} />
                <Route path="/conformance" component={Conformance} />
                <Route path="/deliveries" component={Deliveries} />
                <Route path="/settings" component={Settings} />
                <Route path="/players/:user">{({ user }) => <Player key={user} user={decodePathPart(user)} />}</Route>
                <Route>
                  <EmptyState title="Page not found." />
                </Route>
              </Switch>
            </Suspense>
          </Shell>
        </Router>
      </LiveProvider>
    </SessionGate>
  )
}

function Start() {
  const { setup } = useSession()
  return <Redirect to={setup.isSandbox ? '/demo' : '/bets'} replace />
}

/** A typed address may be invalid percent-encoding. */
function decodePathPart(text: string): string {
  try {
    return decodePathSegment(decodeURIComponent(text))
  } catch {
    return text
  }
}
