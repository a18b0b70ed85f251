import type { Reply } from 'wamux/plugin'
import { documentOf, icon } from './document.ts'
import { type Html, html } from './html.ts'
import type { Texts } from './languages/en.ts'
import type { PageParts } from './page-start.ts'
import { LANGUAGES } from './texts.ts'

type Words = Texts['page']

export interface LinkPageParts extends PageParts {
  readonly extensionId: string
}

/** The page on which the account is linked: all of its parts, of which the script shows one. */
export function linkPage({ language, serviceName, extensionId }: LinkPageParts): Reply {
  const texts = LANGUAGES[language]
  const { page } = texts
  const body = html`
<noscript><p class="lead">${page.noScript}</p></noscript>
<div id="app" hidden data-texts="${JSON.stringify(texts.live)}" data-extension="${extensionId}">
<p id="status" class="status" role="status" aria-live="polite"></p>
<button id="reload" type="button" hidden>${page.reload}</button>
<section id="part-link" aria-labelledby="link-heading">
<h1 id="link-heading" tabindex="-1">${page.heading}</h1>
${tabs(page)}
</section>
<section id="part-wait" aria-labelledby="wait-heading" hidden>
${icon('link')}
<h1 id="wait-heading" tabindex="-1">${page.heading}</h1>
<div class="wait" aria-hidden="true"></div>
</section>
<section id="part-passkey" aria-labelledby="passkey-heading" hidden>${passkey(page, extensionId)}</section>
<section id="part-result" aria-labelledby="result-heading" hidden>
${icon('done')}${icon('stop')}
<h1 id="result-heading" tabindex="-1"></h1>
<p id="result-text" class="lead"></p>
<button id="retry" type="button" class="primary" hidden>${page.retry}</button>
</section>
</div>`
  return documentOf({ language, texts, serviceName, body, isLive: true })
}

function tabs(page: Words): Html {
  return html`
<div role="tablist" aria-label="${page.ways}" class="tabs">
<button id="tab-qr" type="button" role="tab" aria-controls="panel-qr" aria-selected="true">${page.byQr}</button>
<button id="tab-code" type="button" role="tab" aria-controls="panel-code" aria-selected="false" tabindex="-1">${page.byCode}</button>
</div>
<div id="panel-qr" role="tabpanel" aria-labelledby="tab-qr" tabindex="0">
<div class="main"><div class="qr"><img id="qr" alt="${page.qrAlt}" width="264" height="264" hidden><div id="qr-wait" class="wait" aria-hidden="true"></div></div>
<p id="qr-left" class="left" aria-hidden="true"></p></div>
<div>${steps([page.openWhatsApp, page.openDevices, page.tapLink])}
<p class="hint">${page.samePhone}</p></div>
</div>
<div id="panel-code" role="tabpanel" aria-labelledby="tab-code" tabindex="0" hidden>
<div class="main"><form id="code-form" novalidate>
<label for="phone">${page.phone}</label>
<input id="phone" type="tel" inputmode="tel" autocomplete="tel" required aria-describedby="phone-hint phone-error">
<p id="phone-hint" class="hint">${page.phoneHint}</p>
<p id="phone-error" class="error" role="alert"></p>
<button class="primary">${page.getCode}</button>
</form>
<div id="code-part" hidden>
<h2 id="code-heading" tabindex="-1">${page.yourCode}</h2>
<p id="code" class="code" translate="no"></p>
<p id="code-left" class="left" aria-hidden="true"></p>
<p id="code-error" class="error" role="alert"></p>
<div class="buttons">
<button id="code-copy" type="button">${page.copyCode}</button>
<button id="code-new" type="button">${page.newCode}</button>
<button id="code-other" type="button" class="quiet">${page.otherNumber}</button>
</div>
</div></div>
${steps([page.openWhatsApp, page.openDevices, page.tapNumber, page.typeCode])}
</div>`
}

function steps(texts: readonly string[]): Html {
  return html`<ol class="steps">${texts.map((text) => html`<li>${text.split('*').map(emphasize)}</li>`)}</ol>`
}

/** Every second part of a text stood between two asterisks. */
function emphasize(part: string, at: number): Html {
  return at % 2 === 1 ? html`<b>${part}</b>` : html`${part}`
}

const CHROME_STORE = 'https://chromewebstore.google.com/detail/'
const FIREFOX_STORE = 'https://addons.mozilla.org/firefox/addon/whatsapp-browser-extension/'

function passkey(page: Words, extensionId: string): Html {
  return html`
${icon('key')}
<h1 id="passkey-heading" tabindex="-1">${page.passkeyHeading}</h1>
<div id="passkey-sign">
<p class="lead">${page.passkeyWhy}</p>
<div id="with-extension" hidden>
<p>${page.passkeyTab}</p>
<button id="sign" type="button" class="primary">${page.passkeySign}</button>
</div>
<div id="without-extension" hidden>
<p>${page.passkeyInstall}</p>
<ul class="links">
<li><a href="${CHROME_STORE}${extensionId}" target="_blank" rel="noreferrer">${page.passkeyChrome}</a></li>
<li><a href="${FIREFOX_STORE}" target="_blank" rel="noreferrer">${page.passkeyFirefox}</a></li>
</ul>
<p class="hint">${page.passkeyInstalled}</p>
</div>
<details id="manual">
<summary>${page.passkeyManual}</summary>
<p class="hint">${page.passkeyComputer}</p>
${steps([page.passkeyStep1, page.passkeyStep2, page.passkeyStep3, page.passkeyStep4, page.passkeyStep5])}
<label for="script">${page.passkeyScript}</label>
<textarea id="script" readonly rows="3" spellcheck="false" translate="no"></textarea>
<div class="buttons">
<button id="script-copy" type="button">${page.passkeyCopy}</button>
<a class="button" href="https://web.whatsapp.com/" target="_blank" rel="noreferrer">${page.passkeyOpen}</a>
</div>
<form id="result-form" novalidate>
<label for="result">${page.passkeyResult}</label>
<textarea id="result" rows="3" required spellcheck="false" autocomplete="off" aria-describedby="sign-error"></textarea>
<button class="primary">${page.passkeySend}</button>
</form>
</details>
<p id="sign-error" class="error" role="alert"></p>
</div>
<div id="passkey-confirm" hidden>
<h2 id="confirm-heading" tabindex="-1">${page.confirmHeading}</h2>
<p>${page.confirmWhy}</p>
<p id="confirm-code" class="code" translate="no"></p>
<p id="confirm-error" class="error" role="alert"></p>
<div class="buttons">
<button id="confirm-yes" type="button" class="primary">${page.confirmYes}</button>
<button id="confirm-no" type="button">${page.confirmNo}</button>
</div>
</div>`
}
