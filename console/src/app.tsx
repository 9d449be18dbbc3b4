/** Which page an address is. Pages come when they are needed; the picture of a bet is the one that must be quick. */

import { lazy, Suspense } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { idOfPart } from '../../src/protocol/path-part.ts'
import { LiveProvider } from './live.tsx'
import { BetPage } from './pages/bet/bet.tsx'
import { NewPassword } from './pages/new-password.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { Empty, Fault, Waiting } from './parts.tsx'
import { SessionGate, useSession } from './session.tsx'
import { Shell } from './shell.tsx'

const Bets = lazy(() => import('./pages/bets.tsx').then(({ BetsPage }) => ({ default: BetsPage })))
const Now = lazy(() => import('./pages/now/now.tsx').then(({ NowPage }) => ({ default: NowPage })))
const Calls = lazy(() => import('./pages/calls.tsx').then(({ CallsPage }) => ({ default: CallsPage })))
const Players = lazy(() => import('./pages/players.tsx').then(({ PlayersPage }) => ({ default: PlayersPage })))
const Money = lazy(() => import('./pages/money.tsx').then(({ MoneyPage }) => ({ default: MoneyPage })))
const Transfers = lazy(() =>
  import('./pages/money/transfers.tsx').then(({ TransfersPage }) => ({ default: TransfersPage })),
)
const Reports = lazy(() => import('./pages/reports.tsx').then(({ ReportsPage }) => ({ default: ReportsPage })))
const Conformance = lazy(() =>
  import('./pages/conformance.tsx').then(({ ConformancePage }) => ({ default: ConformancePage })),
)
const Deliveries = lazy(() =>
  import('./pages/deliveries/deliveries.tsx').then(({ DeliveriesPage }) => ({ default: DeliveriesPage })),
)
const Settings = lazy(() =>
  import('./pages/settings/settings.tsx').then(({ SettingsPage }) => ({ default: SettingsPage })),
)
const Find = lazy(() => import('./pages/find.tsx').then(({ FindPage }) => ({ default: FindPage })))
const Player = lazy(() => import('./pages/player.tsx').then(({ PlayerPage }) => ({ default: PlayerPage })))
const Demo = lazy(() => import('./pages/demo/demo.tsx').then(({ DemoPage }) => ({ default: DemoPage })))

export function App() {
  return (
    <SessionGate
      newPassword={(person, done, leave) => <NewPassword person={person} done={done} leave={leave} />}
      signIn={(setup, enter) => <SignIn setup={setup} enter={enter} />}
      waiting={<Waiting />}
      fault={(error, again) => <Fault error={error} again={again} />}
    >
      <LiveProvider>
        <Router base="/console">
          <Shell>
            <Suspense fallback={<Waiting />}>
              <Switch>
                <Route path="/">
                  <Start />
                </Route>
                <Route path="/demo" component={Demo} />
                <Route path="/now" component={Now} />
                <Route path="/bets" component={Bets} />
                <Route path="/bets/:user/:bet">
                  {({ user, bet }) => <BetPage key={bet} user={decoded(user)} bet={decoded(bet)} />}
                </Route>
                <Route path="/bets/:bet">{({ bet }) => <BetPage key={bet} bet={decoded(bet)} />}</Route>
                <Route path="/calls" component={Calls} />
                <Route path="/find" component={Find} />
                <Route path="/players" component={Players} />
                <Route path="/money" component={Money} />
                <Route path="/money/transfers" component={Transfers} />
                <Route path="/reports" component={Reports} />
                <Route path="/conformance" component={Conformance} />
                <Route path="/deliveries" component={Deliveries} />
                <Route path="/settings" component={Settings} />
                <Route path="/players/:user">{({ user }) => <Player key={user} user={decoded(user)} />}</Route>
                <Route>
                  <Empty title="There is no such page." />
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

/** Addresses that people type may be no percent-encoding. */
function decoded(text: string): string {
  try {
    return idOfPart(decodeURIComponent(text))
  } catch {
    return text
  }
}
