import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { DayBar } from './day-bar.tsx'
import { isToLink, nextText, phoneOf, type Summary, stateText, titleOf, toneOf } from './summary.ts'

/** One session: its state and the next step. */
export function SessionCard({ session }: { session: Summary }) {
  const {
    Id,
    JID,
    Name,
    Node,
    State,
    Reason,
    Since,
    Labels,
    Day,
    Outbox,
    Pending,
    PendingSince,
    RestrictedUntil,
  } = session
  const next = nextText(session)
  const place = encodeURIComponent(Id)
  return (
    <li class="card session">
      <div class="session-head">
        <h2>
          <a href={to(`/sessions/${place}`)}>{titleOf(session)}</a>
        </h2>
        <Badge tone={toneOf(State)}>{stateText(State)}</Badge>
      </div>
      <p class="muted session-facts">
        {JID && Name ? <span class="mono">{phoneOf(session)}</span> : null}
        {Since ? (
          <span>
            {t('fleet.since')} <Ago at={Since} />
          </span>
        ) : null}
        {Node ? <span>{t('fleet.node', { node: Node })}</span> : null}
        {Object.entries(Labels).map(([name, value]) => (
          <Badge key={name}>{`${name}: ${value}`}</Badge>
        ))}
      </p>
      <DayBar day={Day} />
      <dl class="session-numbers">
        <div>
          <dt>{t('fleet.outbox')}</dt>
          <dd>{numberOf(Outbox)}</dd>
        </div>
        <div>
          <dt>{t('fleet.pending')}</dt>
          <dd>{numberOf(Pending)}</dd>
        </div>
        <div>
          <dt>{t('fleet.lag')}</dt>
          <dd>{PendingSince ? <Ago at={PendingSince} /> : '–'}</dd>
        </div>
      </dl>
      {RestrictedUntil ? (
        <p>
          <Badge tone="warn">{t('fleet.restricted')}</Badge> <Ago at={RestrictedUntil} />
        </p>
      ) : null}
      {Reason && State !== 'open' ? <p class="session-reason">{Reason}</p> : null}
      {next ? (
        <p class="session-next">
          {next}
          {isToLink(session) ? (
            <>
              {' '}
              <a href={to(`/link/${place}`)}>{t('fleet.link')}</a>
            </>
          ) : null}
        </p>
      ) : null}
    </li>
  )
}
