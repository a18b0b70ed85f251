/**
 * Types of the interface with all built-in plugins but the sandbox, for config/client/types.ts. Made by `npm run client`
 * from the OpenAPI document, with openapi-typescript.
 */

export interface paths {
 "/user/name": {
  /**
   * Change the name that others see
   * @description Others see it beside messages of people whom they have not saved. The account must be linked.
   */
  post: operations["userName"];
 };
 "/user/appstate": {
  /**
   * Read the shared settings of the account again from the start
   * @description Chats, contacts, labels and settings that the phone shares with its companions. Use it when what is shown here differs from the phone.
   */
  get: operations["getUserAppstate"];
 };
 "/session/proxy": {
  /** Read through which proxy the session connects */
  get: operations["getSessionProxy"];
  /**
   * Connect the session through a proxy
   * @description WebSocket, uploads, downloads and history all use it, and nothing else: while the proxy is down, so is the session. It must open a connection first, unless `Check` is false. A session that is connected connects again.
   */
  post: operations["sessionProxy"];
  /**
   * Remove the proxy of the session
   * @description It connects through the one of the gateway again, or directly.
   */
  delete: operations["deleteSessionProxy"];
 };
 "/server/nodes": {
  /**
   * List the nodes that share the database, and how many sessions each serves
   * @description Nodes that ended without a word are listed for an hour.
   */
  get: operations["getServerNodes"];
 };
 "/server/nodes/{id}/drain": {
  /**
   * Make a node give its sessions to the others and take no more, or end that
   * @description `:id` is the `Id` or the `Name` of a node. It begins within seconds; `GET /server/nodes` shows what is left. `{"Drain": false}` ends it. A node that is stopped by SIGTERM drains by itself.
   */
  post: operations["serverNodesByIdDrain"];
 };
 "/server/audit": {
  /**
   * Read the audit log and verify its hash chain
   * @description Oldest first; `?after=` is the last known `Seq`, `?limit=` at most 1000 (default 100). `Chain` is the verification of *all* rows: each row covers the hash of the previous one. Someone with write access to the database could still truncate the end: store `Chain.Hash` elsewhere to detect that. Rows are kept for 90 days.
   */
  get: operations["getServerAudit"];
 };
 "/session/settings": {
  /**
   * List the settings that plugins have for each session
   * @description Each with its JSON Schema and the values of the session, to make a form of.
   */
  get: operations["getSessionSettings"];
 };
 "/session/settings/{plugin}": {
  /**
   * Show this session's settings of a plugin
   * @description What the session has not set has its default.
   */
  get: operations["getSessionSettingsByPlugin"];
  /**
   * Change this session's settings of a plugin
   * @description What is absent stays as it is. `Values` replaces all values; a field without one has its default.
   */
  put: operations["putSessionSettingsByPlugin"];
 };
 "/server/jobs": {
  /**
   * List the job queues and schedules of the plugins
   * @description Jobs wait here until they have run; schedules show what this process has planned.
   */
  get: operations["getServerJobs"];
 };
 "/server/jobs/{queue}/dead-letters": {
  /**
   * List the jobs that have failed as often as their queue allows, oldest first; at most 1000
   * @description They stay until they are handled again or removed.
   */
  get: operations["getServerJobsByQueueDeadLetters"];
 };
 "/server/jobs/{queue}/dead-letters/retry": {
  /**
   * Let a queue handle dead letters again
   * @description All of them, or those in `Ids`; each has its full number of tries again.
   */
  post: operations["serverJobsByQueueDeadLettersRetry"];
 };
 "/server/jobs/{queue}/dead-letters/drop": {
  /**
   * Remove dead letters of a queue
   * @description All of them, or those in `Ids`.
   */
  post: operations["serverJobsByQueueDeadLettersDrop"];
 };
 "/schedule": {
  /** List the scheduled messages, in the order of their times */
  get: operations["getSchedule"];
 };
 "/schedule/{id}": {
  /**
   * Cancel a scheduled message
   * @description Until it is due; a message that is being sent is not recalled.
   */
  delete: operations["deleteScheduleById"];
 };
 "/bot/message": {
  /**
   * Send a question to a bot; its answer arrives as a Message event
   * @description `PersonaID` names one of the bots of `GET /bot/list`; the default bot when absent.
   */
  post: operations["botMessage"];
 };
 "/bot/list": {
  /**
   * List the bots that this account can use
   * @description Pass a `PersonaID` of the list to `POST /bot/message`.
   */
  get: operations["getBotList"];
 };
 "/business/get/profile": {
  /**
   * Read a business profile
   * @description Without `jid` the profile of the own account.
   */
  post: operations["businessGetProfile"];
 };
 "/business/get/categories": {
  /**
   * List the categories that a business can have
   * @description With the id and the name of each.
   */
  get: operations["getBusinessGetCategories"];
 };
 "/business/update/desc": {
  /**
   * Set the description of your business
   * @description Only for business accounts.
   */
  post: operations["businessUpdateDesc"];
 };
 "/business/update/address": {
  /**
   * Set the address of your business
   * @description Only for business accounts.
   */
  post: operations["businessUpdateAddress"];
 };
 "/business/update/email": {
  /**
   * Set the e-mail address of your business
   * @description Only for business accounts.
   */
  post: operations["businessUpdateEmail"];
 };
 "/business/catalog/list": {
  /**
   * List the products of a business
   * @description Without `jid` the own catalogue. Pass `Paging.After` as `after` to get the next page.
   */
  post: operations["businessCatalogList"];
 };
 "/business/catalog/info": {
  /**
   * Read one product
   * @description Without `jid` a product of the own catalogue.
   */
  post: operations["businessCatalogInfo"];
 };
 "/business/catalog/create": {
  /**
   * Add a product to your catalogue
   * @description The answer has its id, which the other calls take.
   */
  post: operations["businessCatalogCreate"];
 };
 "/business/catalog/edit": {
  /**
   * Change a product; absent fields are not changed
   * @description The product is read first, so that absent fields keep their values.
   */
  post: operations["businessCatalogEdit"];
 };
 "/business/catalog/show": {
  /**
   * Make a product visible
   * @description Undoes `POST /business/catalog/hide`.
   */
  post: operations["businessCatalogShow"];
 };
 "/business/catalog/hide": {
  /**
   * Hide a product
   * @description It stays in the catalogue, where only the owner sees it.
   */
  post: operations["businessCatalogHide"];
 };
 "/business/catalog/delete": {
  /**
   * Delete products
   * @description One by `id`, or several by `ids`.
   */
  post: operations["businessCatalogDelete"];
 };
 "/business/order/details": {
  /**
   * Read an order that a customer sent
   * @description Both fields are in the event `Message` that brought the order.
   */
  post: operations["businessOrderDetails"];
 };
 "/business/send/catalog": {
  /**
   * Send a link to a catalogue, with its preview
   * @description The chat shows a card that opens the catalogue.
   */
  post: operations["businessSendCatalog"];
 };
 "/chat/pin": {
  /**
   * Pin a chat, or unpin it
   * @description `Pin` also takes true and false.
   */
  post: operations["chatPin"];
 };
 "/chat/unpin": {
  /**
   * Unpin a chat
   * @description The same as `POST /chat/pin` with `Pin` false.
   */
  post: operations["chatUnpin"];
 };
 "/chat/archive": {
  /**
   * Archive a chat, or unarchive it
   * @description Archiving also unpins.
   */
  post: operations["chatArchive"];
 };
 "/chat/mute": {
  /**
   * Mute a chat, or unmute it
   * @description Nobody else sees it.
   */
  post: operations["chatMute"];
 };
 "/chat/delete": {
  /**
   * Delete a chat from the account
   * @description Deletes the whole chat; /message/delete deletes a message. A group is left first.
   */
  post: operations["chatDelete"];
 };
 "/chat/read": {
  /**
   * Mark a chat as read
   * @description On all devices; a read receipt is sent for its last message.
   */
  post: operations["chatRead"];
 };
 "/chat/unread": {
  /**
   * Mark a chat as unread
   * @description Shows the mark of an unread chat on all devices of the account; nobody else sees it.
   */
  post: operations["chatUnread"];
 };
 "/chat/history": {
  /**
   * Request older messages of a chat from the phone
   * @description The phone answers with the event HistorySync, whose requestID is RequestId, as soon as it is online; it may have fewer messages, or none. To page on, name the oldest message of the answer, with its BeforeTimestamp.
   */
  post: operations["chatHistory"];
 };
 "/chat/disappearing-timer": {
  /**
   * Set the disappearing timer of a chat
   * @description New messages of the chat disappear after that time; both sides can change it.
   */
  post: operations["chatDisappearingTimer"];
 };
 "/chat/typing/start": {
  /**
   * Show the typing indicator
   * @description It ends by itself after some seconds. Stop it when the person leaves the input.
   */
  post: operations["chatTypingStart"];
 };
 "/chat/typing/stop": {
  /**
   * End the typing indicator
   * @description It ends by itself after some seconds. Stop it when the person leaves the input.
   */
  post: operations["chatTypingStop"];
 };
 "/chat/recording/start": {
  /**
   * Show the recording indicator
   * @description It ends by itself after some seconds. Stop it when the person leaves the input.
   */
  post: operations["chatRecordingStart"];
 };
 "/chat/recording/stop": {
  /**
   * End the recording indicator
   * @description It ends by itself after some seconds. Stop it when the person leaves the input.
   */
  post: operations["chatRecordingStop"];
 };
 "/contact/add": {
  /**
   * Save a contact, or rename it
   * @description Saved in WhatsApp, and with `SaveOnBook` in the address book of the phone as well.
   */
  post: operations["contactAdd"];
 };
 "/contact/remove": {
  /**
   * Remove a contact
   * @description Removes the name from WhatsApp; chats and messages are kept.
   */
  post: operations["contactRemove"];
 };
 "/user/contacts": {
  /**
   * List the contacts of the account
   * @description Everybody whose name is known here: saved contacts, and people who wrote. By JID.
   */
  get: operations["getUserContacts"];
 };
 "/broadcast/listparticipants": {
  /**
   * List the recipients of a broadcast list
   * @description `status@broadcast` lists the recipients of status posts. Other lists are stored on the phone; their recipients are known as of linking.
   */
  post: operations["broadcastListparticipants"];
 };
 "/message/react": {
  /**
   * React to a message
   * @description An empty `Body` removes the reaction.
   */
  post: operations["messageReact"];
 };
 "/message/presence": {
  /**
   * Show or end typing or recording
   * @description `State` is composing or paused; with `Media` audio it shows recording.
   */
  post: operations["messagePresence"];
 };
 "/message/markread": {
  /**
   * Mark messages as read
   * @description The sender sees it unless read receipts are off. In a group `Sender` is required.
   */
  post: operations["messageMarkread"];
 };
 "/message/status": {
  /**
   * Read the delivery state of a message
   * @description In a group the furthest state of any recipient. Available for recent messages.
   */
  post: operations["messageStatus"];
 };
 "/message/delete": {
  /**
   * Delete a message for everyone
   * @description An own message; in a group that you administer also another member's, in a newsletter any post. 404 if it is not stored here.
   */
  post: operations["messageDelete"];
 };
 "/message/edit": {
  /**
   * Edit the text of an own message
   * @description Also edits a post of a newsletter that you administer.
   */
  post: operations["messageEdit"];
 };
 "/message/downloadimage": {
  /**
   * Download and decrypt the file of a image message
   * @description All fields as in the event. Only the network's media hosts are contacted and, with Id, the account's own phone.
   */
  post: operations["messageDownloadimage"];
 };
 "/message/downloadvideo": {
  /**
   * Download and decrypt the file of a video message
   * @description All fields as in the event. Only the network's media hosts are contacted and, with Id, the account's own phone.
   */
  post: operations["messageDownloadvideo"];
 };
 "/message/downloadaudio": {
  /**
   * Download and decrypt the file of a audio message
   * @description All fields as in the event. Only the network's media hosts are contacted and, with Id, the account's own phone.
   */
  post: operations["messageDownloadaudio"];
 };
 "/message/downloaddocument": {
  /**
   * Download and decrypt the file of a document message
   * @description All fields as in the event. Only the network's media hosts are contacted and, with Id, the account's own phone.
   */
  post: operations["messageDownloaddocument"];
 };
 "/media/{seq}": {
  /**
   * Download a file by the link of an event (`mediaUrl`)
   * @description No token is needed: the link is signed and expires.
   */
  get: operations["getMediaBySeq"];
 };
 "/dashboard/login": {
  /**
   * Read what the login of the dashboard may do, and when it ends
   * @description 401 without a login.
   */
  get: operations["getDashboardLogin"];
  /**
   * Log in to the dashboard
   * @description With the admin token, a key or the token of a session as `Authorization: Bearer`, and the header `X-Wamux-Dashboard: 1`. The answer sets a cookie, which counts as that token until the login ends: for GET, and for other methods with the header `X-Wamux-Dashboard`. It is `HttpOnly` and `SameSite=Strict`, and `Secure` behind TLS.
   */
  post: operations["dashboardLogin"];
  /**
   * Log out of the dashboard
   * @description Streams that were opened with the login end.
   */
  delete: operations["deleteDashboardLogin"];
 };
 "/dashboard/login/code": {
  /**
   * Log in to the dashboard with the code of a sign-in link
   * @description The sandbox prints such a link when it starts. The code is valid once; the answer sets the cookie of `POST /dashboard/login`.
   */
  post: operations["dashboardLoginCode"];
 };
 "/dashboard/assets/{file}": {
  /**
   * Files of the dashboard
   * @description Scripts and styles of `GET /dashboard`.
   */
  get: operations["getDashboardAssetsByFile"];
 };
 "/dashboard": {
  /**
   * The dashboard
   * @description For a browser. The document holds no data: its script reads them with the login.
   */
  get: operations["getDashboard"];
 };
 "/dashboard/{screen}": {
  /**
   * A screen of the dashboard
   * @description For a browser. The document holds no data: its script reads them with the login.
   */
  get: operations["getDashboardByScreen"];
 };
 "/dashboard/{screen}/{id}": {
  /**
   * A screen of the dashboard about one item
   * @description For a browser. The document holds no data: its script reads them with the login.
   */
  get: operations["getDashboardByScreenById"];
 };
 "/dashboard/{screen}/{id}/{part}": {
  /**
   * A screen of the dashboard about a part of one item
   * @description For a browser. The document holds no data: its script reads them with the login.
   */
  get: operations["getDashboardByScreenByIdByPart"];
 };
 "/openapi.json": {
  /**
   * OpenAPI 3.1 description of all enabled routes and events
   * @description It describes the plugins that are enabled here, yours as well.
   */
  get: operations["getOpenapiJson"];
 };
 "/docs/postman.json": {
  /**
   * Postman collection of all enabled routes
   * @description Import it into Postman, and set the variables `baseUrl`, `token` and `admintoken` there.
   */
  get: operations["getDocsPostmanJson"];
 };
 "/docs": {
  /**
   * Documentation page; works offline
   * @description Swagger UI of `/openapi.json`, and which apps show which kind of message.
   */
  get: operations["getDocs"];
 };
 "/docs/{file}": {
  /**
   * Files of the documentation page
   * @description Scripts and styles of `GET /docs`.
   */
  get: operations["getDocsByFile"];
 };
 "/media-store/{seq}": {
  /**
   * Download a stored file by the link of an event (`mediaUrl`)
   * @description No token is needed: the link is signed and expires. A store that encrypts by itself is redirected to; a file that is not stored yet is fetched from the network.
   */
  get: operations["getMediaStoreBySeq"];
 };
 "/webhook": {
  /**
   * Read the webhook URL, its subscription and its state
   * @description The main webhook; `GET /webhook/endpoints` lists the others as well.
   */
  get: operations["getWebhook"];
  /**
   * Set the webhook URL and its subscription
   * @description The first call returns the `Secret` that deliveries are signed with; it is shown only once. An empty URL removes the webhook.
   */
  post: operations["postWebhook"];
 };
 "/webhook/endpoints": {
  /**
   * List all endpoints of the session, its own webhook first
   * @description The id of the main one is `main`.
   */
  get: operations["getWebhookEndpoints"];
  /**
   * Add an endpoint, or change one
   * @description Each endpoint has its own address, classes, format, secret and state. The `Secret` of a new one is shown only once. Changing an endpoint enables it again.
   */
  post: operations["webhookEndpoints"];
  /**
   * Remove an endpoint and its pending deliveries
   * @description The main one is removed by `POST /webhook` with an empty URL.
   */
  delete: operations["deleteWebhookEndpoints"];
 };
 "/webhook/secret": {
  /**
   * Rotate the secret; both secrets sign for 24 hours
   * @description The answer has the new secret, which is shown only once.
   */
  post: operations["webhookSecret"];
 };
 "/webhook/deliveries": {
  /**
   * List deliveries with their outcomes, oldest first
   * @description As far back as the event log goes. Pass `Next` as `After` to get the next page.
   */
  get: operations["getWebhookDeliveries"];
 };
 "/webhook/replay": {
  /**
   * Deliver again: one event, a range, or all dead letters
   * @description Selects by `Id`, by seq or by time. A range includes events that were delivered before, unless `State` excludes them. Without any field all dead letters are delivered again. One event (`Id`) is delivered whether it was before or not, and at once if it waits for a retry; a range leaves out events that never were, unless `Missing` is set. Events keep their id.
   */
  post: operations["webhookReplay"];
 };
 "/webhook/test": {
  /**
   * Send a test event now and report the outcome
   * @description One attempt, signed as every delivery, outside the log of events.
   */
  post: operations["webhookTest"];
 };
 "/webhook/attempts": {
  /**
   * List the attempts to deliver one event
   * @description Oldest first, at most 200, as far back as the event log goes. Answers are kept of attempts that failed.
   */
  get: operations["getWebhookAttempts"];
 };
 "/webhook/health": {
  /**
   * Read how the deliveries to the session's webhooks go
   * @description What waits, what failed, the circuit breaker, and the last deliveries of each.
   */
  get: operations["getWebhookHealth"];
 };
 "/webhook/global/attempts": {
  /**
   * List the attempts to deliver one event to the webhooks of all sessions
   * @description Oldest first, at most 200, as far back as the event log goes. Answers are kept of attempts that failed.
   */
  get: operations["getWebhookGlobalAttempts"];
 };
 "/webhook/global/health": {
  /**
   * Read how the deliveries to the webhooks of all sessions go
   * @description What waits, what failed, the circuit breaker, and the last deliveries of each.
   */
  get: operations["getWebhookGlobalHealth"];
 };
 "/webhook/global": {
  /**
   * List the webhooks that get the events of all sessions
   * @description That of the configuration (`globalUrl`) among them; values of headers and secrets are not shown.
   */
  get: operations["getWebhookGlobal"];
  /**
   * Add a webhook for the events of all sessions, or change one
   * @description Bodies name the session by `userID` and `instanceName`. The `Secret` of a new one is shown only once. Delivery is as for a session's own webhook: durable, in order per chat, retried.
   */
  post: operations["webhookGlobal"];
  /**
   * Remove a webhook of all sessions and its pending deliveries
   * @description What is still to be delivered to it is dropped.
   */
  delete: operations["deleteWebhookGlobal"];
 };
 "/webhook/global/secret": {
  /**
   * Rotate the secret of a webhook of all sessions; both secrets sign for 24 hours
   * @description The new secret is shown only this once.
   */
  post: operations["webhookGlobalSecret"];
 };
 "/webhook/global/test": {
  /**
   * Send a test event to a webhook of all sessions now and report the outcome
   * @description One attempt, signed as every delivery, outside the log of events. It needs a session, which its body names.
   */
  post: operations["webhookGlobalTest"];
 };
 "/webhook/global/deliveries": {
  /**
   * List deliveries to the webhooks of all sessions, oldest first
   * @description As far back as the event log goes. Pass `Next` as `After` to get the next page.
   */
  get: operations["getWebhookGlobalDeliveries"];
 };
 "/webhook/global/replay": {
  /**
   * Deliver again to a webhook of all sessions: one event, a range, or all dead letters
   * @description Selects by `Id`, by seq or by time. A range includes events that were delivered before, unless `State` excludes them. Without any field all dead letters are delivered again. One event (`Id`) is delivered whether it was before or not, and at once if it waits for a retry; a range leaves out events that never were, unless `Missing` is set. Events keep their id.
   */
  post: operations["webhookGlobalReplay"];
 };
 "/events": {
  /**
   * Read events after a given seq, with long polling
   * @description Pass `Next` as `after` in the next call. A seq older than the retention answers 410 with the oldest available one.
   */
  get: operations["getEvents"];
 };
 "/events/history": {
  /**
   * Read the event log, newest events first
   * @description Filtered as the streams are. One call reads at most 5,000 events of the log: with a filter that few events pass, a page may have fewer than `limit`, or none, and still not be the last.
   */
  get: operations["getEventsHistory"];
 };
 "/events/global/history": {
  /**
   * Read the event log of all sessions, newest events first
   * @description Filtered as the streams are. One call reads at most 5,000 events of the log: with a filter that few events pass, a page may have fewer than `limit`, or none, and still not be the last.
   */
  get: operations["getEventsGlobalHistory"];
 };
 "/events/stream": {
  /**
   * Stream events as server-sent events
   * @description The `id` of each event is its seq, so a client that reconnects resumes there (`Last-Event-ID`, or `after`). A comment every 15 seconds serves as heartbeat.
   */
  get: operations["getEventsStream"];
 };
 "/events/global/stream": {
  /**
   * Stream the events of all sessions as server-sent events
   * @description The `id` of each event is its seq, so a client that reconnects resumes there (`Last-Event-ID`, or `after`). A comment every 15 seconds serves as heartbeat.
   */
  get: operations["getEventsGlobalStream"];
 };
 "/events/socket": {
  /**
   * Stream events over a WebSocket
   * @description Each text message is one event. A client that reconnects passes the `seq` of its last event as `after`: none is lost or repeated. Pings every 15 seconds serve as heartbeat; who does not answer them, or does not read for 30 seconds, is disconnected. Browsers, which can set no headers, offer the subprotocols `wamux` and `token.<token>` (`admintoken.<token>`); the address never holds a token, and pages need the gateway's own origin or one that CORS allows. Close codes: 1001 the gateway stops, 4410 `after` is older than the retention, 4401 the token is no longer valid.
   */
  get: operations["getEventsSocket"];
 };
 "/events/global/socket": {
  /**
   * Stream the events of all sessions over a WebSocket
   * @description Each text message is one event. A client that reconnects passes the `seq` of its last event as `after`: none is lost or repeated. Pings every 15 seconds serve as heartbeat; who does not answer them, or does not read for 30 seconds, is disconnected. Browsers, which can set no headers, offer the subprotocols `wamux` and `token.<token>` (`admintoken.<token>`); the address never holds a token, and pages need the gateway's own origin or one that CORS allows. Close codes: 1001 the gateway stops, 4410 `after` is older than the retention, 4401 the token is no longer valid.
   */
  get: operations["getEventsGlobalSocket"];
 };
 "/message/timeline": {
  /**
   * Read what became of a message: sent, received, delivered, with times
   * @description Only what was stored: of a sent message from its acceptance to the receipts of its recipients, of a received one from its arrival to its delivery to the webhooks of the session. As far back as the event log goes. In a group the receipts of at most 500 recipients.
   */
  get: operations["getMessageTimeline"];
 };
 "/group/list": {
  /**
   * List the groups of the account
   * @description With subject, owner, settings and members of each.
   */
  get: operations["getGroupList"];
 };
 "/group/myall": {
  /**
   * List the groups of which the account is owner or admin
   * @description As `GET /group/list`, without the groups in which the account is a member only.
   */
  get: operations["getGroupMyall"];
 };
 "/group/info": {
  /**
   * Read a group with its members
   * @description Subject, description, settings, owner and members with their roles.
   */
  get: operations["getGroupInfo"];
  /**
   * Read a group with its members
   * @description Subject, description, settings, owner and members with their roles.
   */
  post: operations["groupInfo"];
 };
 "/group/invitelink": {
  /**
   * Read or reset the invite link; admins only
   * @description `Reset` makes a new link, and the old one no longer works.
   */
  get: operations["getGroupInvitelink"];
  /**
   * Read or reset the invite link; admins only
   * @description `Reset` makes a new link, and the old one no longer works.
   */
  post: operations["groupInvitelink"];
 };
 "/group/join": {
  /**
   * Join by an invite
   * @description The answer has the JID of the group. If an admin must approve, it is joined once they have.
   */
  post: operations["groupJoin"];
 };
 "/group/leave": {
  /**
   * Leave a group, or a community with all of its groups
   * @description Its messages are kept.
   */
  post: operations["groupLeave"];
 };
 "/group/create": {
  /**
   * Create a group
   * @description People whose privacy settings forbid to be added are listed in the answer; invite them by link.
   */
  post: operations["groupCreate"];
 };
 "/group/update": {
  /**
   * Add, remove, promote or demote members
   * @description Only admins may do that. The answer has the outcome for each member.
   */
  post: operations["groupUpdate"];
 };
 "/group/name": {
  /**
   * Set the name of a group
   * @description All members may do that unless the group is locked.
   */
  post: operations["groupName"];
 };
 "/group/photo": {
  /**
   * Set the picture of a group; it is cropped to a square
   * @description All members may do that unless the group is locked.
   */
  post: operations["groupPhoto"];
 };
 "/group/description": {
  /**
   * Set the description of a group; an empty text clears it
   * @description All members may do that unless the group is locked.
   */
  post: operations["groupDescription"];
 };
 "/group/lock": {
  /**
   * Restrict changes of name, picture and description to admins, or allow them to all members
   * @description Only admins may do that.
   */
  post: operations["groupLock"];
 };
 "/group/adminonly": {
  /**
   * Restrict sending to admins, or allow it to all members
   * @description Only admins may do that.
   */
  post: operations["groupAdminonly"];
 };
 "/community/create": {
  /**
   * Create a community; the network adds its announcement group
   * @description The account becomes its owner. Add groups with `POST /community/add`.
   */
  post: operations["communityCreate"];
 };
 "/community/add": {
  /**
   * Link groups to a community
   * @description The account must be an admin of both. The answer has the outcome for each group.
   */
  post: operations["communityAdd"];
 };
 "/community/remove": {
  /**
   * Unlink groups from a community
   * @description The groups are kept, outside the community. The answer has the outcome for each group.
   */
  post: operations["communityRemove"];
 };
 "/keys": {
  /**
   * List the keys of the session, or all for the administrator
   * @description Newest first, without the keys themselves.
   */
  get: operations["getKeys"];
  /**
   * Create a key with limited rights
   * @description With the token of a session it is for that session; with the admin token for those named by one of `Sessions`, `AllSessions` and `Label`. Use it like a session token. If it is for several sessions, the header `X-Session` names one.
   */
  post: operations["postKeys"];
 };
 "/keys/{id}/rotate": {
  /**
   * Replace a key by a new one with the same rights
   * @description The answer has the new key, which is shown only this once.
   */
  post: operations["keysByIdRotate"];
 };
 "/keys/{id}": {
  /**
   * Revoke a key; streams that were opened with it end
   * @description It is refused from then on.
   */
  delete: operations["deleteKeysById"];
 };
 "/label/chat": {
  /**
   * Add a label to a chat
   * @description Labels are those of `POST /label/edit` and of the app; nobody else sees them.
   */
  post: operations["labelChat"];
 };
 "/unlabel/chat": {
  /**
   * Remove a label from a chat
   * @description Labels are those of `POST /label/edit` and of the app; nobody else sees them.
   */
  post: operations["unlabelChat"];
 };
 "/label/message": {
  /**
   * Add a label to a message
   * @description Labels are those of `POST /label/edit` and of the app; nobody else sees them.
   */
  post: operations["labelMessage"];
 };
 "/unlabel/message": {
  /**
   * Remove a label from a message
   * @description Labels are those of `POST /label/edit` and of the app; nobody else sees them.
   */
  post: operations["unlabelMessage"];
 };
 "/label/edit": {
  /**
   * Create, rename, recolour or delete a label
   * @description A label with that `labelid` is created, or changed if there is one. Only for business accounts.
   */
  post: operations["labelEdit"];
 };
 "/session/link-page": {
  /**
   * Create a one-time link with which somebody links the account without a token
   * @description Replaces an earlier link of the session. Its address begins with `messages.publicUrl`, or else with the host of this request.
   */
  post: operations["sessionLinkPage"];
  /**
   * Revoke the link of the session
   * @description An open page of it can no longer link the account.
   */
  delete: operations["deleteSessionLinkPage"];
 };
 "/session/{id}/link-page": {
  /**
   * Create a one-time link for a session by its id
   * @description As `POST /session/link-page`, with the admin token.
   */
  post: operations["sessionByIdLinkPage"];
  /**
   * Revoke the link of a session by its id
   * @description As `DELETE /session/link-page`, with the admin token.
   */
  delete: operations["deleteSessionByIdLinkPage"];
 };
 "/session/linking/stream": {
  /**
   * Stream the states of linking as server-sent events
   * @description As the page of a one-time link shows them: `State` is `preparing`, `scan` with the QR code as `Image` and the milliseconds for which it is valid, `waiting`, `passkey` with its `Step`, `finishing`, `linked`, or `failed` with a `Reason`. An event `alive` every 4 seconds: show no code when none came. It starts nothing: `POST /session/connect` does.
   */
  get: operations["getSessionLinkingStream"];
 };
 "/link-page/{file}": {
  /**
   * Files of the page on which an account is linked
   * @description Scripts and styles of `GET /link/{token}`.
   */
  get: operations["getLinkPageByFile"];
 };
 "/link/{token}": {
  /**
   * Page of a one-time link
   * @description For the browser in which the account is linked; without a token of wamux.
   */
  get: operations["getLinkByToken"];
  /**
   * Use a one-time link: binds it to this browser and starts linking
   * @description The form of the page. Another browser is refused from then on.
   */
  post: operations["linkByToken"];
 };
 "/link/{token}/stream": {
  /**
   * Stream the states of linking as server-sent events
   * @description For the script of the page, whose browser is known by its cookie.
   */
  get: operations["getLinkByTokenStream"];
 };
 "/link/{token}/code": {
  /**
   * Request a pairing code
   * @description For the script of the page: the owner types the code into the phone.
   */
  post: operations["linkByTokenCode"];
 };
 "/link/{token}/retry": {
  /**
   * Begin linking again
   * @description For the script of the page, after linking has failed or a code has expired.
   */
  post: operations["linkByTokenRetry"];
 };
 "/link/{token}/cancel": {
  /**
   * End linking
   * @description For the script of the page.
   */
  post: operations["linkByTokenCancel"];
 };
 "/link/{token}/passkey": {
  /**
   * Send the signed passkey challenge
   * @description For the script of the page. The body is the JSON of `PublicKeyCredential.toJSON()`.
   */
  post: operations["linkByTokenPasskey"];
 };
 "/link/{token}/passkey/confirm": {
  /**
   * Confirm that the phone shows the same code
   * @description For the script of the page, once the owner has compared both codes.
   */
  post: operations["linkByTokenPasskeyConfirm"];
 };
 "/server/ok": {
  /**
   * Health: answers as soon as the gateway listens
   * @description Without a token. It answers as long as the process does; see `GET /server/ready` for what it depends on.
   */
  get: operations["getServerOk"];
 };
 "/server/license": {
  /**
   * Licence status; wamux is free and uses no licence server
   * @description Always active, without an expiration: it is there for clients that ask for it.
   */
  post: operations["serverLicense"];
 };
 "/server/update": {
  /**
   * The running version; the gateway never updates itself
   * @description The version that is installed; look for releases where you got it.
   */
  get: operations["getServerUpdate"];
 };
 "/server/plugins": {
  /**
   * List the enabled plugins and their state
   * @description With version, state, services and events of each; a plugin that failed shows why.
   */
  get: operations["getServerPlugins"];
 };
 "/server/live": {
  /**
   * Liveness: the process answers
   * @description Depends on nothing else: a restart cures what makes it fail.
   */
  get: operations["getServerLive"];
 };
 "/server/ready": {
  /**
   * Readiness: the checks of all plugins hold
   * @description Answers 503 with the same list as long as a check fails. Calls within a second share a run.
   */
  get: operations["getServerReady"];
 };
 "/server/consumers": {
  /**
   * List the consumers of the event log, how far they are behind, and their dead letters
   * @description Lag and lanes are those of the sessions that the answering process serves.
   */
  get: operations["getServerConsumers"];
 };
 "/server/consumers/{name}/replay": {
  /**
   * Move the cursor of a consumer: handle events again, or skip them
   * @description Give `After`, the seq of the last event that counts as handled, or `Since`, the time from which events are handled again. Events keep their ids, so receivers can recognise repetitions. A process that serves other sessions follows within seconds.
   */
  post: operations["serverConsumersByNameReplay"];
 };
 "/server/consumers/{name}/dead-letters": {
  /**
   * List the events that a consumer has given up, oldest first; at most 1000
   * @description Only consumers that ask for it give up events; others retry without end.
   */
  get: operations["getServerConsumersByNameDeadLetters"];
 };
 "/server/consumers/{name}/dead-letters/retry": {
  /**
   * Let a consumer handle dead letters again; those that it handles are removed
   * @description All of them, or those in `Seqs`.
   */
  post: operations["serverConsumersByNameDeadLettersRetry"];
 };
 "/server/consumers/{name}/dead-letters/drop": {
  /**
   * Remove dead letters
   * @description All of them, or those in `Seqs`. The events stay in the log.
   */
  post: operations["serverConsumersByNameDeadLettersDrop"];
 };
 "/metrics": {
  /**
   * Read the metrics of all plugins
   * @description In the text format of Prometheus. With the setting `metrics.access` `token`, the header `Authorization: Bearer …` is required instead of the admin token.
   */
  get: operations["getMetrics"];
 };
 "/newsletter/create": {
  /**
   * Create a newsletter
   * @description The account becomes its owner.
   */
  post: operations["newsletterCreate"];
 };
 "/newsletter/list": {
  /**
   * List the newsletters that the account follows or owns
   * @description With name, description, number of followers and the own role in each.
   */
  get: operations["getNewsletterList"];
 };
 "/newsletter/info": {
  /**
   * One newsletter
   * @description Name, description, picture, number of followers and the own role.
   */
  post: operations["newsletterInfo"];
 };
 "/newsletter/link": {
  /**
   * Read a newsletter by its invite link
   * @description `Code` is the end of the link, `Link` the whole; one of them is required.
   */
  post: operations["newsletterLink"];
 };
 "/newsletter/subscribe": {
  /**
   * Follow a newsletter and subscribe to its live updates
   * @description The newsletter is given by JID, or by Code or Link. Changed counts then arrive as NewsletterLiveUpdate until the account leaves the newsletter.
   */
  post: operations["newsletterSubscribe"];
 };
 "/newsletter/messages": {
  /**
   * Read posts of a newsletter with their views and reactions
   * @description The newest posts, oldest first; BeforeID is the smallest MessageServerID of the previous page.
   */
  post: operations["newsletterMessages"];
 };
 "/plugins": {
  /**
   * List the pages that plugins add to the dashboard
   * @description The dashboard loads `Script` as a module, creates the custom element `Element`, sets its property `gateway`, and adds it to the document.
   */
  get: operations["getPlugins"];
 };
 "/plugins/{plugin}/{file}": {
  /**
   * Files of a plugin for browsers
   * @description They may load files and call routes of this gateway only.
   */
  get: operations["getPluginsByPluginByFile"];
 };
 "/send/text": {
  /**
   * Send a text
   * @description The answer comes when WhatsApp has acknowledged the message. Give `Id` or an `Idempotency-Key` to be able to repeat the call safely.
   */
  post: operations["sendText"];
 };
 "/send/image": {
  /**
   * Send a picture
   * @description With an optional caption below it.
   */
  post: operations["sendImage"];
 };
 "/send/audio": {
  /**
   * Send a voice message or other audio
   * @description Ogg with Opus is sent unchanged; other audio is converted to a voice message if ffmpeg is installed. Without ffmpeg it is sent as a file or, if Ptt is true, refused (415).
   */
  post: operations["sendAudio"];
 };
 "/send/video": {
  /**
   * Send a video
   * @description MP4 plays in all apps. A preview is made if ffmpeg is installed, or given as `JpegThumbnail`.
   */
  post: operations["sendVideo"];
 };
 "/send/document": {
  /**
   * Send a file
   * @description Any kind of file; the chat shows `FileName`.
   */
  post: operations["sendDocument"];
 };
 "/send/sticker": {
  /**
   * Send a sticker; pictures and short videos that are not WebP are converted
   * @description A WebP file is sent as it is.
   */
  post: operations["sendSticker"];
 };
 "/send/location": {
  /**
   * Send a location
   * @description A pin on a map, with name and address below it.
   */
  post: operations["sendLocation"];
 };
 "/send/contact": {
  /**
   * Send a contact card
   * @description The fields of a card, or a whole vCard as text.
   */
  post: operations["sendContact"];
 };
 "/send/poll": {
  /**
   * Send a poll
   * @description Votes come as events `Message`, decrypted.
   */
  post: operations["sendPoll"];
 };
 "/send/mediaurl": {
  /**
   * Send a file that the gateway downloads
   * @description As the sends of files, for clients that name the file by its link. The link must be reachable for the gateway.
   */
  post: operations["sendMediaurl"];
 };
 "/send/preview": {
  /**
   * Send a link with a small preview
   * @description Title, description and a small picture above the text, as given: the page itself is not read.
   */
  post: operations["sendPreview"];
 };
 "/send/preview2": {
  /**
   * Send a link with a large preview
   * @description As `POST /send/preview`, with a large picture.
   */
  post: operations["sendPreview2"];
 };
 "/send/groupinvite": {
  /**
   * Send the invite link of a group with a preview
   * @description `MatchedText` is the link of the group, as `POST /group/invitelink` answers it.
   */
  post: operations["sendGroupinvite"];
 };
 "/send/template": {
  /**
   * Send a text with buttons: reply, open a page, call, copy
   * @description Without buttons it is sent as plain text.
   */
  post: operations["sendTemplate"];
 };
 "/send/buttons": {
  /**
   * Send a text with one to three reply buttons
   * @description What the other side chooses comes as an event `Message`.
   */
  post: operations["sendButtons"];
 };
 "/send/mediabutton": {
  /**
   * Send a picture, video or document with buttons
   * @description `Media` is shown above the text.
   */
  post: operations["sendMediabutton"];
 };
 "/send/list": {
  /**
   * Send a list to choose from
   * @description Rows in `List`, or several groups of rows in `Sections`. What the other side chooses comes as an event `Message`.
   */
  post: operations["sendList"];
 };
 "/send/locationbutton": {
  /**
   * Ask a person for their location
   * @description The chat shows a button that sends the location of the other side.
   */
  post: operations["sendLocationbutton"];
 };
 "/send/carousel": {
  /**
   * Send a carousel of cards with buttons
   * @description Cards of text, each with its buttons.
   */
  post: operations["sendCarousel"];
 };
 "/send/carouselmedia": {
  /**
   * Send a carousel of cards with a picture or video and buttons
   * @description Each card with its own file.
   */
  post: operations["sendCarouselmedia"];
 };
 "/send/pixbutton": {
  /**
   * Send a PIX key for a payment
   * @description The chat shows a button that copies the key.
   */
  post: operations["sendPixbutton"];
 };
 "/send/reviewpay": {
  /**
   * Send an order to review and pay by PIX
   * @description The total is the sum of the items when `TotalValue` is absent. `Amount` is in units of 1/`TotalOffset`.
   */
  post: operations["sendReviewpay"];
 };
 "/session/init": {
  /**
   * Create a session
   * @description The answer has the token of the session, a random one when `Token` is absent. Continue with `POST /session/connect`.
   */
  post: operations["sessionInit"];
 };
 "/session/all": {
  /**
   * List all sessions
   * @description With state, webhook and JID of each. `?label=customer:acme` lists only the sessions with that label, `?label=customer` those with any value of it; several must all fit.
   */
  get: operations["getSessionAll"];
 };
 "/session/scanned": {
  /**
   * List the sessions that are linked
   * @description As `GET /session/all`, without the sessions that have never been linked.
   */
  post: operations["sessionScanned"];
 };
 "/session/delete": {
  /**
   * Delete a session and all its data
   * @description The session is named by the header `token`, or by `Token` in the body or the query.
   */
  post: operations["sessionDelete"];
 };
 "/session/connect": {
  /**
   * Start the client; restores a linked session without a QR code
   * @description With `Immediate` false it waits until the session is connected or has a QR code. Repeating it is harmless.
   */
  post: operations["sessionConnect"];
 };
 "/session/pair": {
  /**
   * Link by pairing code instead of a QR code
   * @description The owner types `LinkingCode` into the phone: linked devices, link with phone number. It starts the client itself.
   */
  post: operations["sessionPair"];
 };
 "/session/qr": {
  /**
   * Read the current QR code as a picture
   * @description A data URL for an `<img>`. The code changes while it waits: read it again until `GET /session/status` shows that the session is logged in.
   */
  get: operations["getSessionQr"];
 };
 "/session/status": {
  /**
   * Read whether the session is connected and logged in, or why not
   * @description 409 `NO_CLIENT` while no client is started.
   */
  get: operations["getSessionStatus"];
 };
 "/session/disconnect": {
  /**
   * Stop the client; the session stays linked
   * @description `POST /session/connect` continues without a scan, and brings the messages that came meanwhile.
   */
  post: operations["sessionDisconnect"];
 };
 "/session/logout": {
  /**
   * Unlink the session; the next connect needs a new scan
   * @description The phone no longer lists it as a linked device. The session, its token and its webhook are kept.
   */
  post: operations["sessionLogout"];
 };
 "/session/history": {
  /**
   * Read the last 50 changes of the session's state
   * @description Newest first. Attempts to reconnect are not listed: from `waiting` it leads on to their end.
   */
  get: operations["getSessionHistory"];
 };
 "/session/storage": {
  /**
   * Measure what the database holds of the session
   * @description By table, those with most bytes first; tables without rows of the session are left out. All its rows are read, so that millions of events need seconds: call it for one session at a time.
   */
  get: operations["getSessionStorage"];
 };
 "/session/passkey": {
  /**
   * Read what linking with a passkey waits for
   * @description Some accounts must prove their passkey after the QR code or the pairing code. The owner signs `Challenge` in a browser, on a page of https://web.whatsapp.com.
   */
  get: operations["getSessionPasskey"];
  /**
   * Answer the passkey challenge
   * @description The body is the JSON of `PublicKeyCredential.toJSON()`. Nothing invalid is passed on.
   */
  post: operations["sessionPasskey"];
 };
 "/session/passkey/confirm": {
  /**
   * Confirm that the phone shows the same code
   * @description When the state of `GET /session/passkey` is `confirm`, and the owner has compared its code with the phone.
   */
  post: operations["sessionPasskeyConfirm"];
 };
 "/session/token": {
  /**
   * Replace the session's token by a new one
   * @description The link is not touched, and running requests finish. The old token is refused from then on, and streams that were opened with it end.
   */
  post: operations["sessionToken"];
 };
 "/session/{id}/token": {
  /**
   * Replace the token of a session by its id
   * @description As `POST /session/token`, with the admin token: for a token that was lost or has leaked.
   */
  post: operations["sessionByIdToken"];
 };
 "/session/update": {
  /**
   * Rename the session, or set its labels
   * @description What is absent stays as it is. `Labels` replaces all labels.
   */
  post: operations["sessionUpdate"];
 };
 "/session/{id}/update": {
  /**
   * Rename a session by its id, or set its labels
   * @description As `POST /session/update`, with the admin token.
   */
  post: operations["sessionByIdUpdate"];
 };
 "/session/summary": {
  /**
   * Summarize the sessions: state, last 24 hours, outbox, waiting deliveries
   * @description All sessions for the administrator, those of a key, or the one of a token, without their tokens. `GET /session/summary/stream` sends what changes.
   */
  get: operations["getSessionSummary"];
 };
 "/session/summary/stream": {
  /**
   * Stream the summaries of sessions whose state changes as server-sent events
   * @description The data of each event has `Sessions`, as `GET /session/summary`, and `Deleted`, the ids of sessions that are gone. The first event is empty: read the summaries once it is there. A comment every 15 seconds serves as heartbeat.
   */
  get: operations["getSessionSummaryStream"];
 };
 "/status/text": {
  /**
   * Post a text status
   * @description Shown for 24 hours to `StatusJidList`, or to all contacts.
   */
  post: operations["statusText"];
 };
 "/status/image": {
  /**
   * Post a picture as status
   * @description Shown for 24 hours to `StatusJidList`, or to all contacts.
   */
  post: operations["statusImage"];
 };
 "/status/video": {
  /**
   * Post a video as status
   * @description Shown for 24 hours to `StatusJidList`, or to all contacts.
   */
  post: operations["statusVideo"];
 };
 "/user/info": {
  /**
   * Read public profiles: name, about text, picture, devices
   * @description By JID, for everybody who has an account.
   */
  post: operations["userInfo"];
 };
 "/user/check": {
  /**
   * Check which numbers are registered
   * @description Ask before the first message to a number: sends to numbers without an account are refused, and many of them restrict an account.
   */
  post: operations["userCheck"];
 };
 "/user/avatar": {
  /**
   * Read a picture, with the fields in the query or a JSON body; your own without Phone
   * @description As `POST /user/avatar`.
   */
  get: operations["getUserAvatar"];
  /**
   * Read the picture of a person or group
   * @description 404 for somebody without a picture, or whose settings hide it. `Preview` asks for a small one.
   */
  post: operations["userAvatar"];
 };
 "/user/parselid": {
  /**
   * Read the phone number of a LID
   * @description Available for people with whom the account has been in contact; the network does not disclose others.
   */
  post: operations["userParselid"];
 };
 "/user/privacy": {
  /**
   * Read the privacy settings of the account
   * @description Who sees the last time online, the picture, the about text and read receipts, and who may add the account to groups.
   */
  get: operations["getUserPrivacy"];
 };
 "/user/block": {
  /**
   * Block a person
   * @description A blocked person can neither write nor call. The answer has the block list.
   */
  post: operations["userBlock"];
 };
 "/user/unblock": {
  /**
   * Unblock a person
   * @description The answer has the block list.
   */
  post: operations["userUnblock"];
 };
 "/user/blocklist": {
  /**
   * Read the block list
   * @description JIDs of everybody whom the account has blocked.
   */
  get: operations["getUserBlocklist"];
 };
 "/user/profile": {
  /**
   * Set the account's picture
   * @description JPEG, PNG or WebP, cropped to a square.
   */
  post: operations["userProfile"];
 };
 "/user/presence": {
  /**
   * Set the account online or offline
   * @description While it is unavailable, WhatsApp does not report the typing of others.
   */
  post: operations["userPresence"];
 };
 "/user/limits": {
  /**
   * Read the account's quota of new chats and whether it is restricted
   * @description While the account is restricted, it may not start new chats.
   */
  get: operations["getUserLimits"];
 };
 "/chats": {
  /**
   * List the chats that have messages in the log, that with the newest message first
   * @description With name, number of unread messages and the last message. A chat in which a message is logged meanwhile moves to the first page.
   */
  get: operations["getChats"];
 };
 "/chats/search": {
  /**
   * Search the messages of all chats, newest first
   * @description Contents are sealed in the database, so a search decrypts one message after the other: one call reads a limited number (setting `searchMessages`) and answers where to go on. A page may have fewer matches than `limit`, or none, and still not be the last.
   */
  get: operations["getChatsSearch"];
 };
 "/chats/{jid}/messages": {
  /**
   * Read the messages of a chat, newest first
   * @description With edits, deletions and reactions applied: an edited message has its new text, a deleted one none. `jid` is a JID or a phone number. As far back as the event log goes.
   */
  get: operations["getChatsByJidMessages"];
 };
 "/v{version}/{id}/messages": {
  /**
   * Cloud API: send a message, or mark one as read
   * @description As `POST /{phone-number-id}/messages` of the Cloud API. Kinds that WhatsApp Web has no form of are sent as the README of the plugin says; others are refused with a Graph error.
   */
  post: operations["vbyVersionByIdMessages"];
 };
 "/v{version}/{id}/media": {
  /**
   * Cloud API: upload a file
   * @description Fields `messaging_product`, `type` (MIME type) and `file`. The answer has the id by which messages name the file.
   */
  post: operations["vbyVersionByIdMedia"];
 };
 "/v{version}/{id}/content": {
  /**
   * Cloud API: download a file
   * @description The `url` of a file, with the same token as the other calls.
   */
  get: operations["getVbyVersionByIdContent"];
 };
 "/v{version}/{id}": {
  /**
   * Cloud API: read a phone number, a WhatsApp Business Account or a file
   * @description `me` and `debug_token` answer about the token. `fields` of the query chooses fields.
   */
  get: operations["getVbyVersionById"];
  /**
   * Cloud API: change a phone number, such as its webhook
   * @description `webhook_configuration` registers the webhook of the session; a `pin` is accepted and not kept.
   */
  post: operations["vbyVersionById"];
  /**
   * Cloud API: delete an uploaded file
   * @description Received files stay as long as their events.
   */
  delete: operations["deleteVbyVersionById"];
 };
 "/v{version}/{id}/message_templates": {
  /**
   * Cloud API: list message templates
   * @description `name`, `language` and `status` of the query choose among them. Every template is approved.
   */
  get: operations["getVbyVersionByIdMessageTemplates"];
  /**
   * Cloud API: create or replace a message template
   * @description It is usable at once, without an approval.
   */
  post: operations["vbyVersionByIdMessageTemplates"];
  /**
   * Cloud API: delete a message template
   * @description `name` in the query; in all its languages.
   */
  delete: operations["deleteVbyVersionByIdMessageTemplates"];
 };
 "/v{version}/{id}/phone_numbers": {
  /**
   * Cloud API: list the phone numbers of an account
   * @description An account has one number, with the same id.
   */
  get: operations["getVbyVersionByIdPhoneNumbers"];
 };
 "/v{version}/{id}/register": {
  /**
   * Cloud API: register a phone number
   * @description Answers that it is done if the session is linked.
   */
  post: operations["vbyVersionByIdRegister"];
 };
 "/v{version}/{id}/deregister": {
  /**
   * Cloud API: deregister a phone number
   * @description Refused: the session is unlinked with `POST /session/logout`.
   */
  post: operations["vbyVersionByIdDeregister"];
 };
 "/v{version}/{id}/subscribed_apps": {
  /**
   * Cloud API: list the subscribed webhooks of an account
   * @description One or none.
   */
  get: operations["getVbyVersionByIdSubscribedApps"];
  /**
   * Cloud API: subscribe to the webhooks of an account
   * @description With `override_callback_uri` and `verify_token` it registers that address, which must answer the challenge; without them it changes nothing.
   */
  post: operations["vbyVersionByIdSubscribedApps"];
  /**
   * Cloud API: end the subscription to the webhooks of an account
   * @description The webhook of the session is removed.
   */
  delete: operations["deleteVbyVersionByIdSubscribedApps"];
 };
 "/cloud-api": {
  /**
   * Read the ids and the webhook of the session for clients of the Cloud API
   * @description What the set-up of a client such as Chatwoot requires.
   */
  get: operations["getCloudApi"];
 };
 "/cloud-api/webhook": {
  /**
   * Set the webhook that gets bodies in the form of the Cloud API
   * @description The address must answer a GET with `hub.mode`, `hub.challenge` and `hub.verify_token` first: 200 and the challenge. Bodies are signed in `X-Hub-Signature-256` with `AppSecret`; a generated one is shown this one time.
   */
  put: operations["putCloudApiWebhook"];
  /**
   * Remove the webhook of the Cloud API
   * @description What waits for it is dropped.
   */
  delete: operations["deleteCloudApiWebhook"];
 };
 "/cloud-api/webhook/retry": {
  /**
   * Deliver again what the webhook of the Cloud API never accepted
   * @description Dead letters wait again, and everything that waits is tried at once.
   */
  post: operations["cloudApiWebhookRetry"];
 };
 "/v{version}/{id}/{edge}": {
  /**
   * Cloud API: any other GET
   * @description Refused with a Graph error that names the path.
   */
  get: operations["getVbyVersionByIdByEdge"];
  /**
   * Cloud API: any other POST
   * @description Refused with a Graph error that names the path.
   */
  post: operations["vbyVersionByIdByEdge"];
  /**
   * Cloud API: any other DELETE
   * @description Refused with a Graph error that names the path.
   */
  delete: operations["deleteVbyVersionByIdByEdge"];
 };
 "/mcp": {
  /**
   * One message of the Model Context Protocol (Streamable HTTP)
   * @description For clients of MCP, which are given this address and a session token or a key as bearer token. Each tool is a route of the gateway, and its call is checked, limited and audited as that route. Without sessions and streams: each message is answered by itself.
   */
  post: operations["postMcp"];
 };
 "/server/outputs": {
  /**
   * List the brokers that events are published to
   * @description Of the answering process. Dead letters and cursors are those of the consumer of the same name, see GET /server/consumers.
   */
  get: operations["getServerOutputs"];
 };
}
export interface webhooks {
 MessageScheduled: {
  /** A message was scheduled (class Schedule) */
  post: operations["onMessageScheduled"];
 };
 ScheduleCancelled: {
  /** A scheduled message was cancelled (class Schedule) */
  post: operations["onScheduleCancelled"];
 };
 ScheduleSent: {
  /** A scheduled message is due and in the outbox; Message or SendFailed follows (class Schedule) */
  post: operations["onScheduleSent"];
 };
 ScheduleFailed: {
  /** A scheduled message was not sent when it was due (class Schedule) */
  post: operations["onScheduleFailed"];
 };
 CallOffer: {
  /** An incoming call (class Call) */
  post: operations["onCallOffer"];
 };
 CallOfferNotice: {
  /** A group call was started (class Call) */
  post: operations["onCallOfferNotice"];
 };
 CallAccept: {
  /** A call was accepted (class Call) */
  post: operations["onCallAccept"];
 };
 CallReject: {
  /** A call was rejected (class Call) */
  post: operations["onCallReject"];
 };
 CallTerminate: {
  /** A call ended, or was missed (class Call) */
  post: operations["onCallTerminate"];
 };
 CallRelayLatency: {
  /** The parties of a call measure relay latencies (class Call) */
  post: operations["onCallRelayLatency"];
 };
 CallPreAccept: {
  /** A device is ready to accept the call (class All) */
  post: operations["onCallPreAccept"];
 };
 CallTransport: {
  /** The parties negotiate the media transport (class All) */
  post: operations["onCallTransport"];
 };
 CallRinging: {
  /** The call is ringing at the other side (class All) */
  post: operations["onCallRinging"];
 };
 Pin: {
  /** A chat was pinned or unpinned (class All) */
  post: operations["onPin"];
 };
 Archive: {
  /** A chat was archived or unarchived (class All) */
  post: operations["onArchive"];
 };
 Mute: {
  /** A chat was muted or unmuted (class All) */
  post: operations["onMute"];
 };
 MarkChatAsRead: {
  /** A chat was marked as read or unread (class All) */
  post: operations["onMarkChatAsRead"];
 };
 DeleteChat: {
  /** A chat was deleted (class All) */
  post: operations["onDeleteChat"];
 };
 Contact: {
  /** A contact was saved or removed, by any device of the account (class All) */
  post: operations["onContact"];
 };
 PushName: {
  /** A person changed their push name (class All) */
  post: operations["onPushName"];
 };
 Message: {
  /** A message was received, or sent by this account (class Message) */
  post: operations["onMessage"];
 };
 ReadReceipt: {
  /** Messages were delivered, read or played (class ReadReceipt) */
  post: operations["onReadReceipt"];
 };
 SendFailed: {
  /** A message of this session was refused, or its outcome is unknown (class Message) */
  post: operations["onSendFailed"];
 };
 UndecryptableMessage: {
  /** A message could not be decrypted; if it is delivered again, a Message with the same ID follows (class All) */
  post: operations["onUndecryptableMessage"];
 };
 HistorySync: {
  /** A chunk of the history, from before linking or requested by /chat/history: at most 50 chats and messages, or 512 KB (class HistorySync) */
  post: operations["onHistorySync"];
 };
 WebhookDisabled: {
  /** A webhook was disabled, because it failed for days or answered 410 (class All) */
  post: operations["onWebhookDisabled"];
 };
 GroupInfo: {
  /** A group changed; unchanged fields are null or empty (class All) */
  post: operations["onGroupInfo"];
 };
 JoinedGroup: {
  /** The account joined or created a group, or was added to one (class All) */
  post: operations["onJoinedGroup"];
 };
 LabelEdit: {
  /** A label was created, changed or deleted (class All) */
  post: operations["onLabelEdit"];
 };
 LabelAssociationChat: {
  /** A label was added to a chat or removed from it (class All) */
  post: operations["onLabelAssociationChat"];
 };
 LabelAssociationMessage: {
  /** A label was added to a message or removed from it (class All) */
  post: operations["onLabelAssociationMessage"];
 };
 NewsletterJoin: {
  /** The account followed or created a newsletter, on any of its devices (class Newsletter) */
  post: operations["onNewsletterJoin"];
 };
 NewsletterLeave: {
  /** The account left a newsletter (class Newsletter) */
  post: operations["onNewsletterLeave"];
 };
 NewsletterMuteChange: {
  /** A newsletter was muted (on) or unmuted (off) (class Newsletter) */
  post: operations["onNewsletterMuteChange"];
 };
 NewsletterLiveUpdate: {
  /** Views or reactions of posts changed, after /newsletter/subscribe (class Newsletter) */
  post: operations["onNewsletterLiveUpdate"];
 };
 Presence: {
  /** A person came online or went offline (class Presence) */
  post: operations["onPresence"];
 };
 ChatPresence: {
  /** A person started or stopped typing or recording (class ChatPresence) */
  post: operations["onChatPresence"];
 };
 Connected: {
  /** The session is connected (class All) */
  post: operations["onConnected"];
 };
 Disconnected: {
  /** The session was disconnected (class All) */
  post: operations["onDisconnected"];
 };
 ConnectFailure: {
  /** The connection was refused and is not retried (class All) */
  post: operations["onConnectFailure"];
 };
 PairSuccess: {
  /** A phone was linked to the session (class All) */
  post: operations["onPairSuccess"];
 };
 QR: {
  /** A new QR code can be scanned (class All) */
  post: operations["onQR"];
 };
 QRTimeout: {
  /** No QR code was scanned in time (class All) */
  post: operations["onQRTimeout"];
 };
 PasskeyRequired: {
  /** The account requires its passkey: GET /session/passkey has the challenge (class All) */
  post: operations["onPasskeyRequired"];
 };
 PasskeyConfirmation: {
  /** A code is to be compared with the one on the phone, then confirmed (class All) */
  post: operations["onPasskeyConfirmation"];
 };
 PasskeyFailed: {
  /** Linking with the passkey has failed; it can begin again with a new QR code (class All) */
  post: operations["onPasskeyFailed"];
 };
 LoggedOut: {
  /** The link was ended by the account or by a logout (class LoggedOut) */
  post: operations["onLoggedOut"];
 };
 Picture: {
  /** The picture of a person or group was set or removed (class All) */
  post: operations["onPicture"];
 };
 NotifyAccountReachoutTimelock: {
  /** A restriction of the account on starting new chats began or ended (class All) */
  post: operations["onNotifyAccountReachoutTimelock"];
 };
}
export interface components {
 schemas: {
  Error: {
   /** @description The HTTP status */
   code: number;
   /** @description For people; it may change */
   error: string;
   /**
    * @description For programs
    * @enum {string}
    */
   errorCode: "BODY_UNREADABLE" | "FIELD_MISSING" | "FIELD_UNKNOWN" | "FIELD_INVALID" | "CLASS_UNKNOWN" | "SESSION_AMBIGUOUS" | "TOKEN_INVALID" | "ADMIN_INVALID" | "SCOPE_MISSING" | "ORIGIN_REFUSED" | "ROUTE_UNKNOWN" | "SESSION_UNKNOWN" | "ITEM_UNKNOWN" | "METHOD_UNKNOWN" | "NO_CLIENT" | "NOT_LOGGED_IN" | "ALREADY_LOGGED_IN" | "ALREADY_PAIRED" | "SESSION_EXISTS" | "OTHER_NETWORK" | "PASSKEY_REQUIRED" | "BODY_TOO_LARGE" | "UPGRADE_REQUIRED" | "INTERNAL" | "NETWORK_FAILED" | "NOT_OWNED" | "FENCED" | "STOPPING" | "BUSY" | "PLUGIN_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORAGE_FAILED" | "NEW_CHATS_HELD" | "PROXY_FAILED" | "PASSKEY_UNEXPECTED" | "CLUSTER_SETTING" | "CLUSTER_ENGINE" | "CLUSTER_KEYS" | "CLUSTER_SIGNATURE" | "CLUSTER_NO_OWNER" | "CLUSTER_MOVED" | "CLUSTER_NODE_FAILED" | "CLUSTER_DRAINING" | "TOO_MANY_FAILURES" | "PHONE_INVALID" | "GROUP_INVALID" | "BASE64_INVALID" | "MEDIA_UNREACHABLE" | "LINK_INVALID" | "NETWORK_FORBIDDEN" | "SEND_VETOED" | "MESSAGE_UNKNOWN" | "USERNAME_UNKNOWN" | "NOT_ON_NETWORK" | "SETTINGS_NOT_READY" | "SEND_RUNNING" | "FILE_EXPIRED" | "MESSAGE_TOO_LARGE" | "MEDIA_UNSUPPORTED" | "ID_REUSED" | "NETWORK_LIMITED" | "QUEUE_FULL" | "SEND_FAILED" | "UPLOAD_FAILED" | "NETWORK_SILENT" | "SCHEDULE_UNKNOWN" | "SCHEDULE_ENDED" | "SCHEDULE_FULL" | "SCHEDULE_LATE" | "TIMER_INVALID" | "DASHBOARD_HEADER" | "DASHBOARD_CODE" | "DASHBOARD_UNBUILT" | "EVENTS_DROPPED" | "CONNECTIONS_FULL" | "ACTION_INVALID" | "KEY_SESSION_MISSING" | "KEY_SESSION_FORBIDDEN" | "KEY_CHAT_FORBIDDEN" | "KEY_CHAT_UNKNOWN" | "KEY_CHAT_MISSING" | "LINK_PAGE_FOREIGN" | "LINK_PAGE_REFUSED" | "LINK_PAGE_UNKNOWN" | "LINK_PAGE_OVER" | "LINK_PAGE_CODES" | "NOT_READY" | "PRESENCE_INVALID" | "AVATAR_UNKNOWN" | "CHAT_UNKNOWN" | "CLOUD_OBJECT_UNKNOWN" | "CLOUD_UNSUPPORTED" | "CLOUD_TEMPLATE_UNKNOWN" | "CLOUD_TEMPLATE_PARAMETERS" | "CLOUD_MEDIA_FAILED" | "CLOUD_CALLBACK_FAILED" | "OUTPUT_REFUSED";
   /** @description More about the cause */
   details?: string;
   success: false;
  };
  /** ScheduledMessage */
  ScheduledMessage: {
   /** @description Also of the message once it is sent */
   Id: string;
   /** @description Can be used as Phone */
   Chat: string;
   /** @description The route that it was scheduled with */
   Route: string;
   /** Format: date-time */
   SendAt: string;
   /** @description waiting, sending, sent, cancelled or failed */
   State: string;
   /** @description First 200 characters of its text or caption */
   Text: string;
   /** @description Why it has failed; empty otherwise */
   Error: string;
  };
  /** Sent */
  Sent: {
   Details: string;
   /** @description Message id */
   Id: string;
   /** @description When the network acknowledged it, RFC 3339 */
   Timestamp: string;
   /** @description The chat that it was sent to */
   Chat: string;
  };
  /** Accepted */
  Accepted: {
   Details: string;
   /** @description Message id */
   Id: string;
  };
  /** BusinessCategory */
  BusinessCategory: {
   ID: string;
   Name: string;
  };
  /** BusinessProfile */
  BusinessProfile: {
   JID: string;
   Description: string;
   Address: string;
   Email: string;
   Websites: string[];
   Categories: components["schemas"]["BusinessCategory"][];
   ProfileOptions: {
    [key: string]: string;
   };
   BusinessHoursTimeZone: string;
   BusinessHours: {
    /** @description sun, mon … */
    DayOfWeek: string;
    /** @description specific_hours, open_24h or appointment_only */
    Mode: string;
    /** @description Minutes after midnight; empty unless Mode is specific_hours */
    OpenTime: string;
    CloseTime: string;
   }[];
  };
  /** Done */
  Done: {
   Details: string;
  };
  /** Product */
  Product: {
   ID: string;
   Name: string;
   Description: string;
   /** @description Thousandths of the currency; null if the product has no price */
   Price: number | null;
   Currency: string;
   RetailerID: string;
   URL: string;
   Availability: string;
   IsHidden: boolean;
   /** @description PENDING, APPROVED or REJECTED */
   ReviewStatus: string;
   Images: {
    URL: string;
   }[];
  };
  /** Order */
  Order: {
   Price: {
    /** @description Thousandths of the currency */
    Total: number | null;
    Currency: string;
   };
   Products: {
    ID: string;
    Name: string;
    ImageURL: string;
    /** @description Thousandths of the currency */
    Price: number | null;
    Currency: string;
    Quantity: number;
   }[];
  };
  /**
   * ContextInfo
   * @description Reply, mentions, forwarding
   */
  ContextInfo: {
   /**
    * Format: id
    * @description Id of the message that this one replies to
    */
   StanzaId?: string;
   /**
    * Format: phone
    * @description Author of that message; in a 1:1 chat the other side when absent
    */
   Participant?: string;
   /** @description Content of that message, if it is not stored here */
   QuotedMessage?: Record<string, never>;
   /** @description Numbers or JIDs that the text mentions */
   MentionedJID?: string[];
   IsForwarded?: boolean;
   ForwardingScore?: number;
   /** @description Seconds until it disappears */
   Expiration?: number;
  };
  /** DashboardLogin */
  DashboardLogin: {
   /** @description `admin`, `key` or `session`: what the login was made with */
   Kind: string;
   /** @description What it may do */
   Scopes: string[];
   /** @description Id of the session whose token it was made with, else empty */
   Session: string;
   /** @description RFC 3339 */
   ExpiresAt: string;
   /** @description Of the gateway */
   Version: string;
   /** @description The gateway runs on a local network with simulated phones */
   IsSandbox: boolean;
   /** @description Parts of the dashboard that need routes of other plugins, where those run: `chats`, `pages`, `settings` */
   Features: string[];
  };
  /** WebhookEndpoint */
  WebhookEndpoint: {
   /** @description `main` for the webhook of POST /webhook */
   Id: string;
   URL: string;
   Subscribe: string[];
   Format: "json" | "form";
   /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
   Filter?: {
    /** @description Only these event types, such as Message; all when absent or empty */
    Types?: string[];
    /** @description false: leaves out messages of this account, from its phone and by the interface */
    OwnMessages?: boolean;
    /** @description false: leaves out events of groups */
    Groups?: boolean;
    /** @description false: leaves out status posts */
    Statuses?: boolean;
    /** @description false: leaves out events of newsletters */
    Newsletters?: boolean;
    /**
     * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
     * @example [
     *       "5511999999999",
     *       "120363000000000000@g.us"
     *     ]
     */
    AllowChats?: string[];
    /**
     * @description No events of these chats: numbers or JIDs
     * @example [
     *       "5511999999999",
     *       "120363000000000000@g.us"
     *     ]
     */
    DenyChats?: string[];
   };
   /**
    * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
    * @example {
    *       "Authorization": "Bearer …"
    *     }
    */
   Headers?: {
    [key: string]: string;
   };
   /** @description active, disabled or gone */
   State: string;
   Reason: string;
   /** @description Time of the first failure after the last success; empty for none */
   FailingSince: string;
  };
  /** DeliveryAttempt */
  DeliveryAttempt: {
   /** @description Of the event */
   Seq: number;
   Endpoint: string;
   /** @description Its number, from 1; a replay begins again */
   Attempt: number;
   /** @description When it ended, RFC 3339 */
   At: string;
   /** @description That it took */
   Milliseconds: number;
   Accepted: boolean;
   /** @description Status of the answer, or why there was none */
   Status: string;
   /** @description The first 500 characters of the answer to a failed attempt; empty without one */
   Answer: string;
  };
  /** WebhookHealth */
  WebhookHealth: {
   /** @description `main` for the webhook of POST /webhook */
   Id: string;
   /** @description Circuit breaker of its host: closed, open or half-open */
   Breaker: string;
   /** @description When an open one is probed; empty while it is not open */
   BreakerUntil: string;
   /** @description Deliveries that wait */
   Pending: number;
   /** @description Since when the oldest of them waits; empty for none */
   OldestPending: string;
   /** @description Time of the next planned retry; empty for none */
   NextAt: string;
   /** @description Dead letters */
   Dead: number;
   /** @description Its last 60 deliveries, newest first */
   Recent: {
    Seq: number;
    /** @description pending, done or dead */
    State: string;
    Attempts: number;
    /** @description That the last attempt took */
    Milliseconds?: number;
   }[];
  };
  /**
   * LoggedEvent
   * @description With `event`, `state` and the other fields of its type
   */
  LoggedEvent: {
   /** @description Position in the log; pass it as `after` to resume */
   seq: number;
   type: string;
   eventId: string;
   instanceName: string;
   /** @description Of the session; absent if none */
   labels?: {
    [key: string]: string;
   };
   userID: string;
   jid: string;
   timestamp: string;
  } & {
   [key: string]: unknown;
  };
  /** TimelineStep */
  TimelineStep: {
   /** @description accepted (stored to be sent), written (handed to the connection), acked (by the network), failed; received (decrypted and stored), undecryptable; logged (as an event); delivered, read, played (receipts) */
   Step: string;
   /** @description RFC 3339 */
   At: string;
   /** @description Whose time: gateway, or network, which has whole seconds */
   Clock: string;
   /** @description Of a receipt: the JID of the recipient */
   By?: string;
   /** @description Why it failed */
   Details?: string;
   /** @description The event that it was logged as */
   EventId?: string;
   Seq?: number;
  };
  /** TimelineDelivery */
  TimelineDelivery: {
   /** @description `main` for the webhook of POST /webhook */
   Endpoint: string;
   URL: string;
   /** @description pending, done or dead */
   State: string;
   /** @description Time of the next attempt; empty for as soon as possible or never */
   NextAt: string;
   Attempts: {
    Attempt: number;
    At: string;
    Milliseconds: number;
    Accepted: boolean;
    Status: string;
    Answer: string;
   }[];
  };
  /** GroupParticipant */
  GroupParticipant: {
   /** @description LID or phone JID, depending on the group */
   JID: string;
   /** @description Phone JID; empty if the network hides it */
   PhoneNumber: string;
   LID: string;
   IsAdmin: boolean;
   IsSuperAdmin: boolean;
   DisplayName: string;
   /** @description Without @; absent if there is none */
   Username?: string;
   /** @description 0, or the error code: 401 blocked you, 403 privacy or not allowed, 404 no account or not a member, 408 left voluntarily, 409 is already a member */
   Error: number;
   /** @description With 403: the data for an invitation to this person */
   AddRequest: null | {
    Code: string;
    /**
     * Format: date-time
     * @description 0001-01-01T00:00:00Z when not set
     */
    Expiration: string;
   };
  };
  /** Group */
  Group: {
   JID: string;
   OwnerJID: string;
   OwnerPN: string;
   Name: string;
   /**
    * Format: date-time
    * @description 0001-01-01T00:00:00Z when not set
    */
   NameSetAt: string;
   NameSetBy: string;
   NameSetByPN: string;
   /** @description The description */
   Topic: string;
   TopicID: string;
   /**
    * Format: date-time
    * @description 0001-01-01T00:00:00Z when not set
    */
   TopicSetAt: string;
   TopicSetBy: string;
   TopicSetByPN: string;
   TopicDeleted: boolean;
   /** @description Only admins can change name, picture and description */
   IsLocked: boolean;
   /** @description Only admins can send */
   IsAnnounce: boolean;
   AnnounceVersionID: string;
   IsEphemeral: boolean;
   /** @description Seconds */
   DisappearingTimer: number;
   IsIncognito: boolean;
   /** @description A community */
   IsParent: boolean;
   DefaultMembershipApprovalMode: string;
   /** @description The community that it belongs to */
   LinkedParentJID: string;
   /** @description Announcement group of a community */
   IsDefaultSubGroup: boolean;
   IsJoinApprovalRequired: boolean;
   AddressingMode: string;
   /**
    * Format: date-time
    * @description 0001-01-01T00:00:00Z when not set
    */
   GroupCreated: string;
   ParticipantVersionID: string;
   Participants: components["schemas"]["GroupParticipant"][];
   ParticipantCount: number;
   /** @description admin_add or all_member_add */
   MemberAddMode: string;
  };
  /** HealthCheck */
  HealthCheck: {
   Name: string;
   Plugin: string;
   Ok: boolean;
   /** @description Empty if it holds */
   Why: string;
   Milliseconds: number;
  };
  /** Newsletter */
  Newsletter: {
   /** @description JID of the newsletter */
   id: string;
   state: {
    type: string;
   };
   thread_metadata: {
    /** @description Seconds since 1970 */
    creation_time: string;
    /** @description Part of the link after https://whatsapp.com/channel/ */
    invite: string;
    name: {
     text: string;
     id: string;
     update_time: string;
    };
    description: {
     text: string;
     id: string;
     update_time: string;
    };
    subscribers_count: string;
    verification: string;
    picture: null | {
     [key: string]: unknown;
    };
    preview: null | {
     [key: string]: unknown;
    };
    settings: {
     reaction_codes: {
      value: string;
     };
    };
   };
   viewer_metadata: null | {
    mute: string;
    /** @description owner, admin, subscriber or guest */
    role: string;
   };
  };
  /** NewsletterPost */
  NewsletterPost: {
   /** @description Number within the newsletter; BeforeID of the next page */
   MessageServerID: number;
   MessageID: string;
   /** @description text, media, poll … */
   Type: string;
   /** @description RFC 3339; empty if the network omits it */
   Timestamp: string;
   ViewsCount: number;
   ReactionCounts: {
    [key: string]: number;
   };
   /** @description The content; null if only counts changed */
   Message: null | {
    [key: string]: unknown;
   };
  };
  /** ContactCard */
  ContactCard: {
   FullName: string;
   /** Format: phone */
   Phone: string;
   Organization?: string;
  };
  /** Button */
  Button: {
   /** @description Label of the button */
   DisplayText: string;
   /**
    * @description What it does: reply (default), open a page, call a number, copy a text
    * @enum {string}
    */
   Type?: "quickreply" | "reply" | "url" | "call" | "copy";
   /**
    * Format: id
    * @description quickreply: the id that the reply contains; copy: the text; call: the number
    */
   Id?: string;
   /** @description url: the page */
   Url?: string;
   /**
    * Format: phone
    * @description call: the number
    */
   PhoneNumber?: string;
  };
  /** ReplyButton */
  ReplyButton: {
   /**
    * Format: id
    * @description Id that the reply contains; the text when absent
    */
   id?: string;
   /** @description Label of the button */
   text: string;
  };
  /** SessionWithState */
  SessionWithState: {
   Id: string;
   Name: string;
   /** @description Empty where a login of the dashboard stands for the admin token */
   Token: string;
   Os: string;
   webhook: string;
   subscribe: string[];
   /**
    * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
    * @example {
    *       "customer": "acme"
    *     }
    */
   Labels: {
    [key: string]: string;
   };
   /** @description Empty until a phone has linked the session */
   JID: string;
   Connected: boolean;
   LoggedIn: boolean;
   /** @description offline, connecting, scan, code, passkey, passkey-confirm, open, waiting, logged-out, replaced, banned or failed */
   State: string;
   /** @description Why, in words */
   Reason: string;
   /** @description What to do next; empty if nothing */
   Next: string;
   /** @description When something was last received, RFC 3339; empty before the first time since the start */
   LastStanza: string;
   /** @description Since when, RFC 3339; attempts to reconnect in between do not count */
   Since: string;
  };
  /** StorageUse */
  StorageUse: {
   /** @description Of the database, such as `events`; its prefix is the plugin */
   Table: string;
   Rows: number;
   /** @description Of the values as stored, without indexes */
   Bytes: number;
  };
  /** Passkey */
  Passkey: {
   /** @description none, challenge, submitted, confirm, confirmed or failed */
   State: string;
   /** @description The request options of the WebAuthn assertion, for `PublicKeyCredential.parseRequestOptionsFromJSON` on a page of https://web.whatsapp.com; in the state `challenge` */
   Challenge?: {
    [key: string]: unknown;
   };
   /** @description `XXXX-XXXX`, to compare with the phone; in the state `confirm` */
   Code?: string;
   /** @description When the step times out, RFC 3339 */
   ExpiresAt?: string;
   /** @description Why it failed */
   Reason?: string;
  };
  /** SessionSummary */
  SessionSummary: {
   Id: string;
   Name: string;
   /**
    * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
    * @example {
    *       "customer": "acme"
    *     }
    */
   Labels: {
    [key: string]: string;
   };
   /** @description Empty until a phone has linked the session */
   JID: string;
   Connected: boolean;
   LoggedIn: boolean;
   /** @description offline, connecting, scan, code, passkey, passkey-confirm, open, waiting, logged-out, replaced, banned or failed */
   State: string;
   /** @description Why, in words */
   Reason: string;
   /** @description What to do next; empty if nothing */
   Next: string;
   /** @description When something was last received, RFC 3339; empty before the first time since the start */
   LastStanza: string;
   /** @description Since when, RFC 3339; attempts to reconnect in between do not count */
   Since: string;
   /** @description How the last link ended, if that is why it is in this state */
   Cause: string;
   /** @description Messages that are under way: neither acknowledged nor refused */
   Outbox: number;
   /** @description Deliveries to webhooks of this session that wait */
   Pending: number;
   /** @description When the oldest of them was enqueued, RFC 3339; empty for none */
   PendingSince: string;
   /** @description Until when new chats are held back, as far as the plugin pacing knows; else empty */
   RestrictedUntil: string;
   /** @description Percent of each of the last 48 half hours in which it was connected, oldest first; -1 before it existed */
   Day: number[];
  };
  /** Privacy */
  Privacy: {
   GroupAdd: string;
   LastSeen: string;
   Status: string;
   Profile: string;
   ReadReceipts: string;
   CallAdd: string;
   Online: string;
   Messages: string;
   Defense: string;
   Stickers: string;
  };
  /** BlockList */
  BlockList: {
   /** @description The network's hash of the list */
   DHash: string;
   /** @description By phone number if it is known, otherwise by LID */
   JIDs: string[];
  };
  /** Limits */
  Limits: {
   MessageCap: null | {
    TotalQuota: number;
    UsedQuota: number;
    CycleStartTimestamp: string | null;
    CycleEndTimestamp: string | null;
    ServerSentTimestamp: string | null;
    OteStatus: string;
    MvStatus: string;
    CappingStatus: string;
   };
   ReachoutTimelock: null | {
    IsActive: boolean;
    EnforcementType: string;
    TimeEnforcementEnds: string | null;
   };
  };
  /** ChatMessage */
  ChatMessage: {
   /** @description Position in the log */
   Seq: number;
   EventId: string;
   /** @description The field `message` of the event Message */
   Message: {
    id: string;
    /** @description text, image, voice, document … as in the event Message */
    type: string;
    /** @description Text, caption or question, after its last edit; empty for none, and once it is deleted */
    text: string;
    /** @description Phone and LID are empty when unknown */
    from: {
     jid: string;
     phone: string;
     lid: string;
    } & {
     [key: string]: unknown;
    };
    /** @description Phone and LID are empty when unknown */
    chat: {
     jid: string;
     phone: string;
     lid: string;
    } & {
     [key: string]: unknown;
    };
    /** Format: date-time */
    time: string;
    isFromMe: boolean;
   } & {
    [key: string]: unknown;
   };
   /** @description When it was edited last, RFC 3339; empty if never */
   Edited: string;
   /** @description When it was deleted for everyone, or with its chat; empty if not */
   Deleted: string;
   /** @description The last one of each person */
   Reactions: {
    Emoji: string;
    /** @description Phone and LID are empty when unknown */
    From: {
     jid: string;
     phone: string;
     lid: string;
    } & {
     [key: string]: unknown;
    };
    IsFromMe: boolean;
   }[];
   /** @description Of a message with a file: a signed link to it, which expires */
   MediaURL?: string;
  };
  /** Chat */
  Chat: {
   /** @description Can be used as Phone, and as `jid` in the path */
   JID: string;
   /** @description Digits; empty for a group, and when unknown */
   Phone: string;
   /** @description Empty for a group, and when unknown */
   LID: string;
   /** @description person, group, newsletter or broadcast */
   Type: string;
   /** @description The name that the account has saved, else the one that the person chose, or the subject */
   Name: string;
   /** @description Messages that were neither read nor answered; at most 1000 are counted */
   Unread: number;
   Last?: components["schemas"]["ChatMessage"];
  };
 };
 responses: never;
 parameters: never;
 requestBodies: never;
 headers: never;
 pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
 userName: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Name": "Ana Lima"
     *     }
     */
    "application/json": {
     Name: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       Name: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getUserAppstate: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       Collections: {
        Name: string;
        Version: number;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionProxy: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Without its password; `direct` without a proxy */
       URL: string;
       /**
        * @description Whose setting it is: of the session, of the gateway (`proxy.url`), or none
        * @enum {unknown}
        */
       Source: "session" | "gateway" | "none";
      };
      success: true;
     };
    };
   };
  };
 };
 sessionProxy: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "URL": "socks5://user:password@proxy.example:1080"
     *     }
     */
    "application/json": {
     /**
      * @description `http://`, `https://` or `socks5://`, or `direct` to use none, whatever `proxy.url` is
      * @example socks5://user:password@proxy.example:1080
      */
     URL: string;
     /** @description Open a connection through it first (default true) */
     Check?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Without its password; `direct` without a proxy */
       URL: string;
       /**
        * @description Whose setting it is: of the session, of the gateway (`proxy.url`), or none
        * @enum {unknown}
        */
       Source: "session" | "gateway" | "none";
      };
      success: true;
     };
    };
   };
  };
 };
 deleteSessionProxy: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Without its password; `direct` without a proxy */
       URL: string;
       /**
        * @description Whose setting it is: of the session, of the gateway (`proxy.url`), or none
        * @enum {unknown}
        */
       Source: "session" | "gateway" | "none";
      };
      success: true;
     };
    };
   };
  };
 };
 getServerNodes: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Of this run of the process */
       Id: string;
       Name: string;
       /** @description Where the other nodes reach it */
       Url: string;
       Version: string;
       /**
        * @description `silent`: its sessions are taken over, or were
        * @enum {unknown}
        */
       State: "ready" | "draining" | "silent";
       /** @description Sessions that it serves */
       Sessions: number;
       Started: string;
       /** @description When it was last seen */
       Heartbeat: string;
       /** @description Whether it is the node that answers */
       Self: boolean;
      }[];
      success: true;
     };
    };
   };
  };
 };
 serverNodesByIdDrain: {
  parameters: {
   path: {
    id: string;
   };
  };
  requestBody?: {
   content: {
    "application/json": {
     /** @default true */
     Drain?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       Drain: boolean;
      };
      success: true;
     };
    };
   };
  };
 };
 getServerAudit: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Rows: {
        Seq: number;
        Time: string;
        /** @description `admin`, the id of a session, `key:` and the id of a key, or `wamux` */
        Actor: string;
        Address: string;
        Action: string;
        /** @description Id of the affected session or key */
        Target: string;
        /** @description `ok`, or the code of the error */
        Result: string;
        /** @description `X-Request-Id` of the response */
        Request: string;
        Hash: string;
       }[];
       Chain: {
        Whole: boolean;
        Rows: number;
        /** @description Hash of the newest row */
        Hash: string;
        BrokenAt?: number;
        Reason?: string;
       };
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionSettings: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Settings: {
        Plugin: string;
        Title: string;
        /** @description Whether this session has the plugin on */
        Enabled: boolean;
        /** @description With the defaults */
        Values: {
         [key: string]: unknown;
        };
        /** @description JSON Schema of `Values`, to make a form of */
        Schema: unknown;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionSettingsByPlugin: {
  parameters: {
   path: {
    plugin: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Plugin: string;
       Title: string;
       /** @description Whether this session has the plugin on */
       Enabled: boolean;
       /** @description With the defaults */
       Values: {
        [key: string]: unknown;
       };
       /** @description JSON Schema of `Values`, to make a form of */
       Schema: unknown;
      };
      success: true;
     };
    };
   };
  };
 };
 putSessionSettingsByPlugin: {
  parameters: {
   path: {
    plugin: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Enabled": true
     *     }
     */
    "application/json": {
     /** @description Switches the plugin on or off in this session */
     Enabled?: boolean;
     /** @description Settings by name, as in `Schema` */
     Values?: {
      [key: string]: unknown;
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Plugin: string;
       Title: string;
       /** @description Whether this session has the plugin on */
       Enabled: boolean;
       /** @description With the defaults */
       Values: {
        [key: string]: unknown;
       };
       /** @description JSON Schema of `Values`, to make a form of */
       Schema: unknown;
      };
      success: true;
     };
    };
   };
  };
 };
 getServerJobs: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Queues: {
        /** @description `<plugin>.<queue>` */
        Name: string;
        Waiting: number;
        /** @description Jobs that have failed as often as their queue allows */
        DeadLetters: number;
       }[];
       Schedules: {
        /** @description `<plugin>.<schedule>` */
        Name: string;
        /** @description When it runs next, as this process has planned it; empty for never */
        Next: string;
        /** @description When its last run ended; empty before the first */
        LastEnd: string;
        /** @description Why the last run failed; empty when it succeeded */
        Error: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getServerJobsByQueueDeadLetters: {
  parameters: {
   path: {
    queue: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       DeadLetters: {
        Id: string;
        /** @description Empty for none */
        Session: string;
        Attempts: number;
        Error: string;
        Time: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 serverJobsByQueueDeadLettersRetry: {
  parameters: {
   path: {
    queue: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Ids": [
     *         "evt_01JABCDEFGHJKMNPQRSTVWXYZ0"
     *       ]
     *     }
     */
    "application/json": {
     /** @description Dead letters by their ids; all when absent */
     Ids?: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Retried: number;
      };
      success: true;
     };
    };
   };
  };
 };
 serverJobsByQueueDeadLettersDrop: {
  parameters: {
   path: {
    queue: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Ids": [
     *         "evt_01JABCDEFGHJKMNPQRSTVWXYZ0"
     *       ]
     *     }
     */
    "application/json": {
     /** @description Dead letters by their ids; all when absent */
     Ids?: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Dropped: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getSchedule: {
  parameters: {
   query?: {
    /** @example waiting */
    state?: "waiting" | "ended" | "all";
    after?: string;
    limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Scheduled: components["schemas"]["ScheduledMessage"][];
       /** @description Pass it as `after` to get the next page; empty if there is none */
       After: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteScheduleById: {
  parameters: {
   path: {
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["ScheduledMessage"];
      success: true;
     };
    };
   };
  };
 };
 botMessage: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Body": "What is the capital of Peru?"
     *     }
     */
    "application/json": {
     /** @description The question */
     Body: string;
     /**
      * Format: id
      * @description The bot, as in /bot/list; the default one when absent
      */
     PersonaID?: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 getBotList: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Bots: {
        JID: string;
        Name: string;
        Attributes: string;
        Description: string;
        Category: string;
        IsDefault: boolean;
        Prompts: string[];
        PersonaID: string;
        Commands: {
         Name: string;
         Description: string;
        }[];
        CommandsDescription: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 businessGetProfile: {
  requestBody?: {
   content: {
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of a business; your own when absent
      */
     jid?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["BusinessProfile"];
      success: true;
     };
    };
   };
  };
 };
 getBusinessGetCategories: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Categories: components["schemas"]["BusinessCategory"][];
      };
      success: true;
     };
    };
   };
  };
 };
 businessUpdateDesc: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "desc": "Bread and cakes"
     *     }
     */
    "application/json": {
     /** @description What the business does */
     desc: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 businessUpdateAddress: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "address": "Rua das Flores 1, São Paulo"
     *     }
     */
    "application/json": {
     /** @description Where the business is */
     address: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 businessUpdateEmail: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "email": "shop@example.com"
     *     }
     */
    "application/json": {
     /** @description E-mail address of the business */
     email: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 businessCatalogList: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "limit": 10
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of a business; your own when absent
      */
     jid?: string;
     /** @description Paging.After of the previous page */
     after?: string;
     /**
      * @description Products a page
      * @default 10
      */
     limit?: number;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Products: components["schemas"]["Product"][];
       Paging: {
        /** @description Empty on the last page */
        After: string;
       };
      };
      success: true;
     };
    };
   };
  };
 };
 businessCatalogInfo: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "id": "7042371865887654"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of a business; your own when absent
      */
     jid?: string;
     /**
      * Format: id
      * @description Product id
      */
     id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Product"];
      success: true;
     };
    };
   };
  };
 };
 businessCatalogCreate: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "name": "Bread",
     *       "description": "Baked today",
     *       "price": 1000,
     *       "currency": "BRL"
     *     }
     */
    "application/json": {
     /** @description Name of the product */
     name: string;
     /**
      * @description Thousandths of the currency: 19.90 is 19900
      * @example 19900
      */
     price: number;
     /**
      * @description Three letters, ISO 4217
      * @example BRL
      */
     currency: string;
     /** @description Description of the product */
     description?: string;
     /** @description JPEG or PNG pictures: data URLs, base64 or links; in an edit they replace all */
     images?: string[];
     /** @description Page of the product; an empty text removes it */
     url?: string;
     /**
      * Format: id
      * @description Your own id of the product
      */
     retailerId?: string;
     /** @description Visible to you only */
     isHidden?: boolean;
     /**
      * @description Country of origin, ISO 3166
      * @example BR
      */
     originCountryCode?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Product"];
      success: true;
     };
    };
   };
  };
 };
 businessCatalogEdit: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "id": "7042371865887654",
     *       "price": 1200
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description Product id
      */
     id: string;
     /** @description Name of the product */
     name?: string;
     /**
      * @description Thousandths of the currency: 19.90 is 19900
      * @example 19900
      */
     price?: number;
     /**
      * @description Three letters, ISO 4217
      * @example BRL
      */
     currency?: string;
     /** @description Description of the product */
     description?: string;
     /** @description JPEG or PNG pictures: data URLs, base64 or links; in an edit they replace all */
     images?: string[];
     /** @description Page of the product; an empty text removes it */
     url?: string;
     /**
      * Format: id
      * @description Your own id of the product
      */
     retailerId?: string;
     /** @description Visible to you only */
     isHidden?: boolean;
     /**
      * @description Country of origin, ISO 3166
      * @example BR
      */
     originCountryCode?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Product"];
      success: true;
     };
    };
   };
  };
 };
 businessCatalogShow: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "id": "7042371865887654"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description Product id
      */
     id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 businessCatalogHide: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "id": "7042371865887654"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description Product id
      */
     id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 businessCatalogDelete: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "id": "6912345678901234"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description Product id
      */
     id?: string;
     /** @description Instead: several */
     ids?: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       Deleted: number;
      };
      success: true;
     };
    };
   };
  };
 };
 businessOrderDetails: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "orderId": "1234567890123456",
     *       "token": "AR5vZW1hOUxMUjU2"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description orderMessage.orderID of the event
      */
     orderId: string;
     /** @description orderMessage.token of the event */
     token: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Order"];
      success: true;
     };
    };
   };
  };
 };
 businessSendCatalog: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Text": "All that we bake"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Text: string;
     /** @description wa.me/c/<number>; your own catalogue when absent. Appended to the text if it is not part of it */
     MatchedText?: string;
     /** @description Title of the preview */
     Title?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 chatPin: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Chat": "5511999999999",
     *       "Pin": "pin"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Chat: string;
     /**
      * @description true or "pin", false or "unpin"
      * @default true
      */
     Pin?: boolean | string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatUnpin: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Chat": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Chat: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatArchive: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Chat": "5511999999999",
     *       "Archive": true
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Chat: string;
     /**
      * @description true or "archive", false or "unarchive"
      * @default true
      */
     Archive?: boolean | string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatMute: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Chat": "5511999999999",
     *       "Mute": true,
     *       "Duration": 28800
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Chat: string;
     /**
      * @description true or "mute", false or "unmute"
      * @default true
      */
     Mute?: boolean | string;
     /** @description Seconds, "8h", "1w" or "always" (-1); 8 hours when absent or 0 */
     Duration?: number | string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatDelete: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatRead: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatUnread: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatHistory: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "BeforeID": "3A1B2C3D4E5F60718293",
     *       "Count": 50
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Only messages before this one; the last known message of the chat when absent
      */
     BeforeID?: string;
     /**
      * Format: id
      * @description Time of that message, if it is not stored here: RFC 3339, or seconds since 1970
      */
     BeforeTimestamp?: string;
     /** @description Whether that message is your own, if it is not stored here */
     IsFromMe?: boolean;
     /** @description How many messages; 50 when absent */
     Count?: number;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       RequestId: string;
      };
      success: true;
     };
    };
   };
  };
 };
 chatDisappearingTimer: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "phone": "5511999999999",
     *       "timer": "7d"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     phone: string;
     /**
      * @description off, 24h, 7d or 90d
      * @example 24h
      */
     timer: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatTypingStart: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Jid": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Jid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatTypingStop: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Jid": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Jid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatRecordingStart: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Jid": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Jid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 chatRecordingStop: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Jid": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person or group, or a username (@name)
      * @example 5511999999999
      */
     Jid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 contactAdd: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "FullName": "Ana Lima"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /** @description First word of FullName when absent */
     FirstName?: string;
     /** @description FirstName when absent */
     FullName?: string;
     /** @description Save it in the phone's own address book too */
     SaveOnBook?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       JID: string;
      };
      success: true;
     };
    };
   };
  };
 };
 contactRemove: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 getUserContacts: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       [key: string]: {
        Found: boolean;
        FirstName: string;
        FullName: string;
        PushName: string;
        BusinessName: string;
        LID: string;
        /** @description Without @; absent if unknown */
        Username?: string;
       };
      };
      success: true;
     };
    };
   };
  };
 };
 broadcastListparticipants: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "ID": "1234567890@broadcast"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description JID of the list
      */
     ID: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       ID: string;
       Participants: string[];
      };
      success: true;
     };
    };
   };
  };
 };
 messageReact: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "👍",
     *       "Id": "3A1B2C3D4E5F60718293",
     *       "IsFromMe": false
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /** @description An emoji; "remove" or an empty text removes the reaction */
     Body: string;
     /**
      * Format: id
      * @description Id of the message
      */
     Id: string;
     /** @description The message is your own (also when Id begins with "me:") */
     IsFromMe: boolean;
     /**
      * Format: phone
      * @description In a group: author of the message, if it is not stored here
      */
     Participant?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 messagePresence: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "State": "composing"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /** @enum {unknown} */
     State: "composing" | "paused" | "recording";
     /**
      * @description `audio` with composing: recording
      * @enum {unknown}
      */
     Media?: "" | "text" | "audio";
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 messageMarkread: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Id": [
     *         "3A1B2C3D4E5F60718293"
     *       ],
     *       "Chat": "5511999999999"
     *     }
     */
    "application/json": {
     /** @description Message ids */
     Id: string[];
     /** Format: phone */
     Chat: string;
     /**
      * Format: phone
      * @description Author of the messages, if they are not stored here
      */
     Sender?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       /** @description Messages that were not marked: own ones, and those not stored here; absent if none */
       Skipped?: {
        Id: string;
        Reason: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 messageStatus: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Id": "3EB0F4A1C2D3E4F5A6B7C8"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description Id of the message
      */
     Id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       /** @description Pending, Sent, Delivered, Read, Played or Error */
       Status: string;
       /** @description Since when, RFC 3339 */
       Timestamp: string;
       Chat: string;
       IsFromMe: boolean;
      };
      success: true;
     };
    };
   };
  };
 };
 messageDelete: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Id": "3EB0F4A1C2D3E4F5A6B7C8"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Id of the message
      */
     Id: string;
     /**
      * Format: phone
      * @description Author of the message, to delete another member's as group admin, or one that is not stored here
      */
     Participant?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       Id: string;
       Timestamp: string;
      };
      success: true;
     };
    };
   };
  };
 };
 messageEdit: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Id": "3EB0F4A1C2D3E4F5A6B7C8",
     *       "Body": "Hello, corrected"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Id of the message
      */
     Id: string;
     /** @description The new text */
     Body: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 messageDownloadimage: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Url": "https://mmg.whatsapp.net/v/t62.7118-24/31415926_2718281828459045_n.enc",
     *       "MediaKey": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
     *       "FileEncSHA256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
     *       "FileSHA256": "4iwO+kT7SfRIRNXlmgo3ikvYKj5LjGhXK5Jpiqrc8jE=",
     *       "Mimetype": "image/jpeg"
     *     }
     */
    "application/json": {
     Url?: string;
     DirectPath?: string;
     /** @description Base64 */
     MediaKey: string;
     Mimetype?: string;
     /** @description SHA-256 of the encrypted file, base64 */
     FileEncSHA256: string;
     /** @description SHA-256 of the file, base64 */
     FileSHA256: string;
     FileLength?: number;
     /** @description Message id: if the file has expired, the phone is asked to upload it again */
     Id?: string;
     /**
      * Format: phone
      * @description Chat of the message, if it is not stored here
      */
     Chat?: string;
     /**
      * Format: phone
      * @description Sender of the message in a group, if it is not stored here
      */
     Sender?: string;
     /** @description Whether it is your own message, if it is not stored here */
     IsFromMe?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Mimetype: string;
       /** @description Data URL */
       Data: string;
      };
      success: true;
     };
    };
   };
  };
 };
 messageDownloadvideo: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Url": "https://mmg.whatsapp.net/v/t62.7118-24/31415926_2718281828459045_n.enc",
     *       "MediaKey": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
     *       "FileEncSHA256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
     *       "FileSHA256": "4iwO+kT7SfRIRNXlmgo3ikvYKj5LjGhXK5Jpiqrc8jE=",
     *       "Mimetype": "image/jpeg"
     *     }
     */
    "application/json": {
     Url?: string;
     DirectPath?: string;
     /** @description Base64 */
     MediaKey: string;
     Mimetype?: string;
     /** @description SHA-256 of the encrypted file, base64 */
     FileEncSHA256: string;
     /** @description SHA-256 of the file, base64 */
     FileSHA256: string;
     FileLength?: number;
     /** @description Message id: if the file has expired, the phone is asked to upload it again */
     Id?: string;
     /**
      * Format: phone
      * @description Chat of the message, if it is not stored here
      */
     Chat?: string;
     /**
      * Format: phone
      * @description Sender of the message in a group, if it is not stored here
      */
     Sender?: string;
     /** @description Whether it is your own message, if it is not stored here */
     IsFromMe?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Mimetype: string;
       /** @description Data URL */
       Data: string;
      };
      success: true;
     };
    };
   };
  };
 };
 messageDownloadaudio: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Url": "https://mmg.whatsapp.net/v/t62.7118-24/31415926_2718281828459045_n.enc",
     *       "MediaKey": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
     *       "FileEncSHA256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
     *       "FileSHA256": "4iwO+kT7SfRIRNXlmgo3ikvYKj5LjGhXK5Jpiqrc8jE=",
     *       "Mimetype": "image/jpeg"
     *     }
     */
    "application/json": {
     Url?: string;
     DirectPath?: string;
     /** @description Base64 */
     MediaKey: string;
     Mimetype?: string;
     /** @description SHA-256 of the encrypted file, base64 */
     FileEncSHA256: string;
     /** @description SHA-256 of the file, base64 */
     FileSHA256: string;
     FileLength?: number;
     /** @description Message id: if the file has expired, the phone is asked to upload it again */
     Id?: string;
     /**
      * Format: phone
      * @description Chat of the message, if it is not stored here
      */
     Chat?: string;
     /**
      * Format: phone
      * @description Sender of the message in a group, if it is not stored here
      */
     Sender?: string;
     /** @description Whether it is your own message, if it is not stored here */
     IsFromMe?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Mimetype: string;
       /** @description Data URL */
       Data: string;
      };
      success: true;
     };
    };
   };
  };
 };
 messageDownloaddocument: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Url": "https://mmg.whatsapp.net/v/t62.7118-24/31415926_2718281828459045_n.enc",
     *       "MediaKey": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
     *       "FileEncSHA256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
     *       "FileSHA256": "4iwO+kT7SfRIRNXlmgo3ikvYKj5LjGhXK5Jpiqrc8jE=",
     *       "Mimetype": "image/jpeg"
     *     }
     */
    "application/json": {
     Url?: string;
     DirectPath?: string;
     /** @description Base64 */
     MediaKey: string;
     Mimetype?: string;
     /** @description SHA-256 of the encrypted file, base64 */
     FileEncSHA256: string;
     /** @description SHA-256 of the file, base64 */
     FileSHA256: string;
     FileLength?: number;
     /** @description Message id: if the file has expired, the phone is asked to upload it again */
     Id?: string;
     /**
      * Format: phone
      * @description Chat of the message, if it is not stored here
      */
     Chat?: string;
     /**
      * Format: phone
      * @description Sender of the message in a group, if it is not stored here
      */
     Sender?: string;
     /** @description Whether it is your own message, if it is not stored here */
     IsFromMe?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Mimetype: string;
       /** @description Data URL */
       Data: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getMediaBySeq: {
  parameters: {
   path: {
    seq: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/octet-stream": string;
    };
   };
  };
 };
 getDashboardLogin: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["DashboardLogin"];
      success: true;
     };
    };
   };
  };
 };
 dashboardLogin: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["DashboardLogin"];
      success: true;
     };
    };
   };
  };
 };
 deleteDashboardLogin: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 dashboardLoginCode: {
  requestBody: {
   content: {
    "application/json": {
     /** @description From the link */
     Code: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 getDashboardAssetsByFile: {
  parameters: {
   path: {
    file: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/octet-stream": string;
    };
   };
  };
 };
 getDashboard: {
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 getDashboardByScreen: {
  parameters: {
   path: {
    screen: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 getDashboardByScreenById: {
  parameters: {
   path: {
    screen: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 getDashboardByScreenByIdByPart: {
  parameters: {
   path: {
    screen: string;
    id: string;
    part: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 getOpenapiJson: {
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getDocsPostmanJson: {
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getDocs: {
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 getDocsByFile: {
  parameters: {
   path: {
    file: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/octet-stream": string;
    };
   };
  };
 };
 getMediaStoreBySeq: {
  parameters: {
   path: {
    seq: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/octet-stream": string;
    };
   };
  };
 };
 getWebhook: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       webhook: string;
       subscribe: string[];
       /** @description active; disabled after days of failures; gone after a 410; none while no webhook is set */
       state: string;
       /** @description Why it was disabled; empty while it is active */
       reason: string;
       /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
       Filter?: {
        /** @description Only these event types, such as Message; all when absent or empty */
        Types?: string[];
        /** @description false: leaves out messages of this account, from its phone and by the interface */
        OwnMessages?: boolean;
        /** @description false: leaves out events of groups */
        Groups?: boolean;
        /** @description false: leaves out status posts */
        Statuses?: boolean;
        /** @description false: leaves out events of newsletters */
        Newsletters?: boolean;
        /**
         * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
         * @example [
         *       "5511999999999",
         *       "120363000000000000@g.us"
         *     ]
         */
        AllowChats?: string[];
        /**
         * @description No events of these chats: numbers or JIDs
         * @example [
         *       "5511999999999",
         *       "120363000000000000@g.us"
         *     ]
         */
        DenyChats?: string[];
       };
       /**
        * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
        * @example {
        *       "Authorization": "Bearer …"
        *     }
        */
       Headers?: {
        [key: string]: string;
       };
      };
      success: true;
     };
    };
   };
  };
 };
 postWebhook: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "WebhookURL": "https://example.com/hook",
     *       "Subscribe": [
     *         "Message",
     *         "ReadReceipt"
     *       ]
     *     }
     */
    "application/json": {
     /**
      * @description http or https address
      * @example https://example.com/hook
      */
     WebhookURL: string;
     /**
      * @description Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one
      * @example [
      *       "Message",
      *       "ReadReceipt"
      *     ]
      */
     Subscribe?: string[];
     Format?: "json" | "form";
     /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
     Filter?: {
      /** @description Only these event types, such as Message; all when absent or empty */
      Types?: string[];
      /** @description false: leaves out messages of this account, from its phone and by the interface */
      OwnMessages?: boolean;
      /** @description false: leaves out events of groups */
      Groups?: boolean;
      /** @description false: leaves out status posts */
      Statuses?: boolean;
      /** @description false: leaves out events of newsletters */
      Newsletters?: boolean;
      /**
       * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
       * @example [
       *       "5511999999999",
       *       "120363000000000000@g.us"
       *     ]
       */
      AllowChats?: string[];
      /**
       * @description No events of these chats: numbers or JIDs
       * @example [
       *       "5511999999999",
       *       "120363000000000000@g.us"
       *     ]
       */
      DenyChats?: string[];
     };
     /**
      * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
      * @example {
      *       "Authorization": "Bearer …"
      *     }
      */
     Headers?: {
      [key: string]: string;
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       webhook: string;
       subscribe: string[];
       Secret?: string;
       /** @description Requested classes that no enabled plugin provides; absent if none */
       dropped?: string[];
       /** @description Present if none of the requested classes is known */
       warning?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookEndpoints: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Endpoints: components["schemas"]["WebhookEndpoint"][];
      };
      success: true;
     };
    };
   };
  };
 };
 webhookEndpoints: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "URL": "https://example.com/crm",
     *       "Subscribe": [
     *         "Message"
     *       ]
     *     }
     */
    "application/json": {
     /** @description http or https address */
     URL: string;
     /** @description The endpoint to change; a new one when absent */
     Id?: string;
     /**
      * @description Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one
      * @example [
      *       "Message",
      *       "ReadReceipt"
      *     ]
      */
     Subscribe?: string[];
     Format?: "json" | "form";
     /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
     Filter?: {
      /** @description Only these event types, such as Message; all when absent or empty */
      Types?: string[];
      /** @description false: leaves out messages of this account, from its phone and by the interface */
      OwnMessages?: boolean;
      /** @description false: leaves out events of groups */
      Groups?: boolean;
      /** @description false: leaves out status posts */
      Statuses?: boolean;
      /** @description false: leaves out events of newsletters */
      Newsletters?: boolean;
      /**
       * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
       * @example [
       *       "5511999999999",
       *       "120363000000000000@g.us"
       *     ]
       */
      AllowChats?: string[];
      /**
       * @description No events of these chats: numbers or JIDs
       * @example [
       *       "5511999999999",
       *       "120363000000000000@g.us"
       *     ]
       */
      DenyChats?: string[];
     };
     /**
      * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
      * @example {
      *       "Authorization": "Bearer …"
      *     }
      */
     Headers?: {
      [key: string]: string;
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description `main` for the webhook of POST /webhook */
       Id: string;
       URL: string;
       Subscribe: string[];
       Format: "json" | "form";
       /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
       Filter?: {
        /** @description Only these event types, such as Message; all when absent or empty */
        Types?: string[];
        /** @description false: leaves out messages of this account, from its phone and by the interface */
        OwnMessages?: boolean;
        /** @description false: leaves out events of groups */
        Groups?: boolean;
        /** @description false: leaves out status posts */
        Statuses?: boolean;
        /** @description false: leaves out events of newsletters */
        Newsletters?: boolean;
        /**
         * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
         * @example [
         *       "5511999999999",
         *       "120363000000000000@g.us"
         *     ]
         */
        AllowChats?: string[];
        /**
         * @description No events of these chats: numbers or JIDs
         * @example [
         *       "5511999999999",
         *       "120363000000000000@g.us"
         *     ]
         */
        DenyChats?: string[];
       };
       /**
        * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
        * @example {
        *       "Authorization": "Bearer …"
        *     }
        */
       Headers?: {
        [key: string]: string;
       };
       /** @description active, disabled or gone */
       State: string;
       Reason: string;
       /** @description Time of the first failure after the last success; empty for none */
       FailingSince: string;
       Secret?: string;
       /** @description Requested classes that no enabled plugin provides; absent if none */
       dropped?: string[];
       /** @description Present if none of the requested classes is known */
       warning?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteWebhookEndpoints: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Id": "7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e"
     *     }
     */
    "application/json": {
     /** @description Its id, from GET /webhook/endpoints */
     Id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 webhookSecret: {
  requestBody?: {
   content: {
    "application/json": {
     /** @description Id; the main webhook when absent */
     Endpoint?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Secret: string;
       OldSecretUntil: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookDeliveries: {
  parameters: {
   query?: {
    /** @example done */
    State?: "pending" | "done" | "dead";
    Endpoint?: string;
    After?: string;
    Order?: "oldest" | "newest";
    /** @example 50 */
    Limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Deliveries: {
        Seq: number;
        /** @description Of the event */
        Id: string;
        Type: string;
        /** @description Id of the session */
        Session: string;
        Endpoint: string;
        /** @description pending, done or dead */
        State: string;
        Attempts: number;
        /** @description Time of the next attempt; empty for as soon as possible or never */
        NextAt: string;
        /** @description Status or error of the last attempt */
        Last: string;
        /** @description Of the event */
        Timestamp: string;
        /** @description When the last attempt ended; empty before the first */
        At: string;
        /** @description That the last attempt took */
        Milliseconds?: number;
       }[];
       Next: number;
      };
      success: true;
     };
    };
   };
  };
 };
 webhookReplay: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "State": "dead"
     *     }
     */
    "application/json": {
     /** @description Id of a further webhook; the main one when absent */
     Endpoint?: string;
     /** @description One event */
     Id?: string;
     State?: "dead" | "done";
     FromSeq?: number;
     ToSeq?: number;
     /** @description Start of the range, RFC 3339 */
     Since?: string;
     /** @description End of the range, RFC 3339 */
     Until?: string;
     /** @description Deliver also events of the range that had no delivery to this webhook, such as those before it was added, if its subscription and its filter have them */
     Missing?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Replayed: number;
      };
      success: true;
     };
    };
   };
  };
 };
 webhookTest: {
  requestBody?: {
   content: {
    "application/json": {
     /** @description Id of a further webhook; the main one when absent */
     Endpoint?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Delivered: boolean;
       /** @description Status or error */
       Details: string;
       Milliseconds: number;
       /** @description The first 500 characters of the answer */
       Answer: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookAttempts: {
  parameters: {
   query: {
    /** @example evt_fe5r7qaxkwpwlxn2o3wyq2mgcv */
    Id: string;
    Endpoint?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Attempts: components["schemas"]["DeliveryAttempt"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookHealth: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Endpoints: components["schemas"]["WebhookHealth"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookGlobalAttempts: {
  parameters: {
   query: {
    /** @example evt_fe5r7qaxkwpwlxn2o3wyq2mgcv */
    Id: string;
    Endpoint?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Attempts: components["schemas"]["DeliveryAttempt"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookGlobalHealth: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Endpoints: components["schemas"]["WebhookHealth"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookGlobal: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Endpoints: {
        /** @description `main` for the webhook of POST /webhook */
        Id: string;
        URL: string;
        Subscribe: string[];
        Format: "json" | "form";
        /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
        Filter?: {
         /** @description Only these event types, such as Message; all when absent or empty */
         Types?: string[];
         /** @description false: leaves out messages of this account, from its phone and by the interface */
         OwnMessages?: boolean;
         /** @description false: leaves out events of groups */
         Groups?: boolean;
         /** @description false: leaves out status posts */
         Statuses?: boolean;
         /** @description false: leaves out events of newsletters */
         Newsletters?: boolean;
         /**
          * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
          * @example [
          *       "5511999999999",
          *       "120363000000000000@g.us"
          *     ]
          */
         AllowChats?: string[];
         /**
          * @description No events of these chats: numbers or JIDs
          * @example [
          *       "5511999999999",
          *       "120363000000000000@g.us"
          *     ]
          */
         DenyChats?: string[];
        };
        /**
         * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
         * @example {
         *       "Authorization": "Bearer …"
         *     }
         */
        Headers?: {
         [key: string]: string;
        };
        /** @description active, disabled or gone */
        State: string;
        Reason: string;
        /** @description Time of the first failure after the last success; empty for none */
        FailingSince: string;
        /** @description Bodies hold the session's token */
        IncludeToken: boolean;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 webhookGlobal: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "URL": "https://example.com/hook",
     *       "Subscribe": [
     *         "Message"
     *       ]
     *     }
     */
    "application/json": {
     /** @description http or https address */
     URL: string;
     /** @description The one to change; a new one when absent */
     Id?: string;
     /**
      * @description Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one
      * @example [
      *       "Message",
      *       "ReadReceipt"
      *     ]
      */
     Subscribe?: string[];
     Format?: "json" | "form";
     /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
     Filter?: {
      /** @description Only these event types, such as Message; all when absent or empty */
      Types?: string[];
      /** @description false: leaves out messages of this account, from its phone and by the interface */
      OwnMessages?: boolean;
      /** @description false: leaves out events of groups */
      Groups?: boolean;
      /** @description false: leaves out status posts */
      Statuses?: boolean;
      /** @description false: leaves out events of newsletters */
      Newsletters?: boolean;
      /**
       * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
       * @example [
       *       "5511999999999",
       *       "120363000000000000@g.us"
       *     ]
       */
      AllowChats?: string[];
      /**
       * @description No events of these chats: numbers or JIDs
       * @example [
       *       "5511999999999",
       *       "120363000000000000@g.us"
       *     ]
       */
      DenyChats?: string[];
     };
     /**
      * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
      * @example {
      *       "Authorization": "Bearer …"
      *     }
      */
     Headers?: {
      [key: string]: string;
     };
     /** @description Bodies hold the session's token */
     IncludeToken?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description `main` for the webhook of POST /webhook */
       Id: string;
       URL: string;
       Subscribe: string[];
       Format: "json" | "form";
       /** @description Which of the subscribed events to deliver; replaces the previous filter, `{}` removes it */
       Filter?: {
        /** @description Only these event types, such as Message; all when absent or empty */
        Types?: string[];
        /** @description false: leaves out messages of this account, from its phone and by the interface */
        OwnMessages?: boolean;
        /** @description false: leaves out events of groups */
        Groups?: boolean;
        /** @description false: leaves out status posts */
        Statuses?: boolean;
        /** @description false: leaves out events of newsletters */
        Newsletters?: boolean;
        /**
         * @description Only events of these chats: numbers or JIDs. Events of no chat are delivered, too
         * @example [
         *       "5511999999999",
         *       "120363000000000000@g.us"
         *     ]
         */
        AllowChats?: string[];
        /**
         * @description No events of these chats: numbers or JIDs
         * @example [
         *       "5511999999999",
         *       "120363000000000000@g.us"
         *     ]
         */
        DenyChats?: string[];
       };
       /**
        * @description Headers to add to every delivery, such as Authorization; replaces the previous ones, `{}` removes them. Values are never shown again
        * @example {
        *       "Authorization": "Bearer …"
        *     }
        */
       Headers?: {
        [key: string]: string;
       };
       /** @description active, disabled or gone */
       State: string;
       Reason: string;
       /** @description Time of the first failure after the last success; empty for none */
       FailingSince: string;
       /** @description Bodies hold the session's token */
       IncludeToken: boolean;
       Secret?: string;
       /** @description Requested classes that no enabled plugin provides; absent if none */
       dropped?: string[];
       /** @description Present if none of the requested classes is known */
       warning?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteWebhookGlobal: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Id": "7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e"
     *     }
     */
    "application/json": {
     /** @description Its id, from GET /webhook/global */
     Id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 webhookGlobalSecret: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Id": "7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e"
     *     }
     */
    "application/json": {
     /** @description Its id, from GET /webhook/global */
     Id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Secret: string;
       OldSecretUntil: string;
      };
      success: true;
     };
    };
   };
  };
 };
 webhookGlobalTest: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Id": "7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e"
     *     }
     */
    "application/json": {
     /** @description Its id, from GET /webhook/global */
     Id: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Delivered: boolean;
       /** @description Status or error */
       Details: string;
       Milliseconds: number;
       /** @description The first 500 characters of the answer */
       Answer: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getWebhookGlobalDeliveries: {
  parameters: {
   query?: {
    State?: "pending" | "done" | "dead";
    Endpoint?: string;
    After?: string;
    Order?: "oldest" | "newest";
    Limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Deliveries: {
        Seq: number;
        /** @description Of the event */
        Id: string;
        Type: string;
        /** @description Id of the session */
        Session: string;
        Endpoint: string;
        /** @description pending, done or dead */
        State: string;
        Attempts: number;
        /** @description Time of the next attempt; empty for as soon as possible or never */
        NextAt: string;
        /** @description Status or error of the last attempt */
        Last: string;
        /** @description Of the event */
        Timestamp: string;
        /** @description When the last attempt ended; empty before the first */
        At: string;
        /** @description That the last attempt took */
        Milliseconds?: number;
       }[];
       Next: number;
      };
      success: true;
     };
    };
   };
  };
 };
 webhookGlobalReplay: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Endpoint": "7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e",
     *       "State": "dead"
     *     }
     */
    "application/json": {
     /** @description Its id, from GET /webhook/global */
     Endpoint: string;
     /** @description One event */
     Id?: string;
     State?: "dead" | "done";
     FromSeq?: number;
     ToSeq?: number;
     /** @description Start of the range, RFC 3339 */
     Since?: string;
     /** @description End of the range, RFC 3339 */
     Until?: string;
     /** @description Deliver also events of the range that had no delivery to this webhook, such as those before it was added, if its subscription and its filter have them */
     Missing?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Replayed: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getEvents: {
  parameters: {
   query?: {
    /** @example 0 */
    after?: string;
    /** @example Message */
    class?: string;
    wait?: string;
    /** @example 50 */
    limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Events: components["schemas"]["LoggedEvent"][];
       Next: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getEventsHistory: {
  parameters: {
   query?: {
    /** @example Message */
    class?: string;
    id?: string;
    Types?: string[];
    OwnMessages?: boolean;
    Groups?: boolean;
    Statuses?: boolean;
    Newsletters?: boolean;
    AllowChats?: string[];
    DenyChats?: string[];
    before?: string;
    /** @example 50 */
    limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Events: components["schemas"]["LoggedEvent"][];
       /** @description Pass it as `before` to get the next page; 0 if there is none */
       Before: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getEventsGlobalHistory: {
  parameters: {
   query?: {
    /** @example Message */
    class?: string;
    id?: string;
    Types?: string[];
    OwnMessages?: boolean;
    Groups?: boolean;
    Statuses?: boolean;
    Newsletters?: boolean;
    AllowChats?: string[];
    DenyChats?: string[];
    session?: string;
    before?: string;
    /** @example 50 */
    limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Events: components["schemas"]["LoggedEvent"][];
       /** @description Pass it as `before` to get the next page; 0 if there is none */
       Before: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getEventsStream: {
  parameters: {
   query?: {
    after?: string;
    /** @example All */
    class?: string;
    id?: string;
    Types?: string[];
    OwnMessages?: boolean;
    Groups?: boolean;
    Statuses?: boolean;
    Newsletters?: boolean;
    AllowChats?: string[];
    DenyChats?: string[];
   };
  };
  responses: {
   200: {
    content: {
     "text/event-stream": string;
    };
   };
  };
 };
 getEventsGlobalStream: {
  parameters: {
   query?: {
    after?: string;
    /** @example All */
    class?: string;
    id?: string;
    Types?: string[];
    OwnMessages?: boolean;
    Groups?: boolean;
    Statuses?: boolean;
    Newsletters?: boolean;
    AllowChats?: string[];
    DenyChats?: string[];
    session?: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/event-stream": string;
    };
   };
  };
 };
 getEventsSocket: {
  parameters: {
   query?: {
    after?: string;
    /** @example All */
    class?: string;
    id?: string;
    Types?: string[];
    OwnMessages?: boolean;
    Groups?: boolean;
    Statuses?: boolean;
    Newsletters?: boolean;
    AllowChats?: string[];
    DenyChats?: string[];
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      /** @description A WebSocket */
      data: unknown;
      success: true;
     };
    };
   };
  };
 };
 getEventsGlobalSocket: {
  parameters: {
   query?: {
    after?: string;
    /** @example All */
    class?: string;
    id?: string;
    Types?: string[];
    OwnMessages?: boolean;
    Groups?: boolean;
    Statuses?: boolean;
    Newsletters?: boolean;
    AllowChats?: string[];
    DenyChats?: string[];
    session?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      /** @description A WebSocket */
      data: unknown;
      success: true;
     };
    };
   };
  };
 };
 getMessageTimeline: {
  parameters: {
   query: {
    /** @example 3EB0F4A1C2D3E4F5A6B7C8 */
    Id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       Chat: string;
       IsFromMe: boolean;
       /** @description In the order of their times */
       Steps: components["schemas"]["TimelineStep"][];
       /** @description To the session's webhooks; empty for a key that is limited to certain chats */
       Deliveries: components["schemas"]["TimelineDelivery"][];
       Event?: components["schemas"]["LoggedEvent"];
       /** @description There are more receipts than are shown */
       IsTruncated: boolean;
      };
      success: true;
     };
    };
   };
  };
 };
 getGroupList: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Groups: components["schemas"]["Group"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getGroupMyall: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Groups: components["schemas"]["Group"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getGroupInfo: {
  parameters: {
   query: {
    /** @example 120363041234567890@g.us */
    GroupJID: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Group"];
      success: true;
     };
    };
   };
  };
 };
 groupInfo: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Group"];
      success: true;
     };
    };
   };
  };
 };
 getGroupInvitelink: {
  parameters: {
   query: {
    /** @example 120363041234567890@g.us */
    GroupJID: string;
    Reset?: boolean;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       InviteLink: string;
      };
      success: true;
     };
    };
   };
  };
 };
 groupInvitelink: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     /** @description Create a new link; the old one becomes invalid */
     Reset?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       InviteLink: string;
      };
      success: true;
     };
    };
   };
  };
 };
 groupJoin: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Code": "HfKQ5PmU3DmBDJvL0XzWrC"
     *     }
     */
    "application/json": {
     /** @description Invite code, or the whole link */
     Code: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       GroupJID: string;
      };
      success: true;
     };
    };
   };
  };
 };
 groupLeave: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupId": "120363042222222222@g.us"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupId: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 groupCreate: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupName": "Team",
     *       "Participants": [
     *         "5511999999999"
     *       ]
     *     }
     */
    "application/json": {
     GroupName: string;
     /** @description Initial members */
     Participants: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       jid: string;
       JID: string;
       name: string;
       owner: string;
       added: string[];
       /** @description People who could not be added; the reason is in Participants */
       failed: string[];
       Participants: components["schemas"]["GroupParticipant"][];
      };
      success: true;
     };
    };
   };
  };
 };
 groupUpdate: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us",
     *       "ParticipantJID": [
     *         "5511999999999"
     *       ],
     *       "Action": "promote"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     /** @description The members to change */
     ParticipantJID: string[];
     /**
      * @description add, remove, promote or demote
      * @example promote
      */
     Action: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       Participants: components["schemas"]["GroupParticipant"][];
      };
      success: true;
     };
    };
   };
  };
 };
 groupName: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us",
     *       "Name": "Crew"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     Name: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 groupPhoto: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us",
     *       "Image": "https://example.com/picture.jpg"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     /** @description The picture: data URL, base64 or http(s) link */
     Image: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       PictureID: string;
      };
      success: true;
     };
    };
   };
  };
 };
 groupDescription: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us",
     *       "Description": "Shifts and news"
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     Description: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 groupLock: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us",
     *       "Lock": true
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     Lock: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 groupAdminonly: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "GroupJID": "120363041234567890@g.us",
     *       "AdminOnly": true
     *     }
     */
    "application/json": {
     /**
      * @description JID of the group, or its bare id
      * @example 120363000000000000@g.us
      */
     GroupJID: string;
     AdminOnly: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 communityCreate: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "CommunityName": "Village"
     *     }
     */
    "application/json": {
     CommunityName: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Group"];
      success: true;
     };
    };
   };
  };
 };
 communityAdd: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "CommunityJID": "120363047777777777@g.us",
     *       "GroupJID": [
     *         "120363049876543210@g.us"
     *       ]
     *     }
     */
    "application/json": {
     /** @description JID of the community, or its bare id */
     CommunityJID: string;
     /** @description JIDs of the groups, or their bare ids */
     GroupJID: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       success: string[];
       failed: string[];
       Groups: {
        JID: string;
        /** @description 0, or the error code */
        Error: number;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 communityRemove: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "CommunityJID": "120363047777777777@g.us",
     *       "GroupJID": [
     *         "120363049876543210@g.us"
     *       ]
     *     }
     */
    "application/json": {
     /** @description JID of the community, or its bare id */
     CommunityJID: string;
     /** @description JIDs of the groups, or their bare ids */
     GroupJID: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       success: string[];
       failed: string[];
       Groups: {
        JID: string;
        /** @description 0, or the error code */
        Error: number;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getKeys: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Keys: {
        /** @description Id of the key */
        Id: string;
        Name: string;
        /** @description The first characters of the key */
        Hint: string;
        /** @description `admin`, or the id of the session whose token created it */
        Owner: string;
        Scopes: string[];
        AllSessions: boolean;
        Sessions: string[];
        /** @description For the sessions with this label; empty if it does not go by one */
        Label: string;
        /** @description JIDs of the only chats; empty for all */
        Chats: string[];
        /** @description RFC 3339 */
        CreatedAt: string;
        /** @description Empty for never */
        ExpiresAt: string;
        /** @description Empty if it was not used yet; stored once a minute */
        LastUse: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 postKeys: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Name": "crm",
     *       "Scopes": [
     *         "read",
     *         "send"
     *       ]
     *     }
     */
    "application/json": {
     /**
      * @description What it is for
      * @example crm
      */
     Name: string;
     /**
      * @description read, send, manage; and admin, for a key of the administrator for all sessions
      * @example [
      *       "read",
      *       "send"
      *     ]
      */
     Scopes: ("read" | "send" | "manage" | "admin")[];
     /** @description For the administrator: ids or names of the sessions */
     Sessions?: string[];
     /** @description For the administrator: all sessions, later ones too */
     AllSessions?: boolean;
     /** @description For the administrator: the sessions that have this label, `customer:acme` */
     Label?: string;
     /** @description The only chats that may be addressed and read: phone numbers, JIDs or usernames; for a key of one session */
     Chats?: string[];
     /** @description Seconds; never expires when absent */
     ExpiresIn?: number;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description The key itself, which is shown only this once */
       Key: string;
       /** @description Id of the key */
       Id: string;
       Name: string;
       /** @description The first characters of the key */
       Hint: string;
       /** @description `admin`, or the id of the session whose token created it */
       Owner: string;
       Scopes: string[];
       AllSessions: boolean;
       Sessions: string[];
       /** @description For the sessions with this label; empty if it does not go by one */
       Label: string;
       /** @description JIDs of the only chats; empty for all */
       Chats: string[];
       /** @description RFC 3339 */
       CreatedAt: string;
       /** @description Empty for never */
       ExpiresAt: string;
       /** @description Empty if it was not used yet; stored once a minute */
       LastUse: string;
      };
      success: true;
     };
    };
   };
  };
 };
 keysByIdRotate: {
  parameters: {
   path: {
    id: string;
   };
  };
  requestBody?: {
   content: {
    "application/json": {
     /** @description Seconds for which the old key stays valid; 0 when absent */
     GraceSeconds?: number;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description The key itself, which is shown only this once */
       Key: string;
       /** @description Id of the key */
       Id: string;
       Name: string;
       /** @description The first characters of the key */
       Hint: string;
       /** @description `admin`, or the id of the session whose token created it */
       Owner: string;
       Scopes: string[];
       AllSessions: boolean;
       Sessions: string[];
       /** @description For the sessions with this label; empty if it does not go by one */
       Label: string;
       /** @description JIDs of the only chats; empty for all */
       Chats: string[];
       /** @description RFC 3339 */
       CreatedAt: string;
       /** @description Empty for never */
       ExpiresAt: string;
       /** @description Empty if it was not used yet; stored once a minute */
       LastUse: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteKeysById: {
  parameters: {
   path: {
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the key */
       Id: string;
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 labelChat: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "jid": "5511999999999",
     *       "labelid": "3"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of the chat
      */
     jid: string;
     /**
      * Format: id
      * @description Id of the label
      * @example 2
      */
     labelid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 unlabelChat: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "jid": "5511999999999",
     *       "labelid": "3"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of the chat
      */
     jid: string;
     /**
      * Format: id
      * @description Id of the label
      * @example 2
      */
     labelid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 labelMessage: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "jid": "5511999999999",
     *       "labelid": "3",
     *       "messageid": "3A1B2C3D4E5F60718293"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of the chat
      */
     jid: string;
     /**
      * Format: id
      * @description Id of the label
      * @example 2
      */
     labelid: string;
     /**
      * Format: id
      * @description Id of the message
      */
     messageid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 unlabelMessage: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "jid": "5511999999999",
     *       "labelid": "3",
     *       "messageid": "3A1B2C3D4E5F60718293"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number or JID of the chat
      */
     jid: string;
     /**
      * Format: id
      * @description Id of the label
      * @example 2
      */
     labelid: string;
     /**
      * Format: id
      * @description Id of the message
      */
     messageid: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 labelEdit: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "labelid": "3",
     *       "name": "Paid",
     *       "color": 5
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description Id of the label
      * @example 2
      */
     labelid: string;
     /** @description Required unless it is deleted */
     name?: string;
     /** @description One of 20 colours */
     color?: number;
     /** @description Has no effect: the label is always enabled */
     action?: boolean;
     /** @description Delete the label */
     deleted?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 sessionLinkPage: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "ExpiresIn": 900,
     *       "Language": "en"
     *     }
     */
    "application/json": {
     /** @description Seconds for which the link is valid; 900 when absent */
     ExpiresIn?: number;
     /**
      * @description Language of the page; when absent, the one that the browser asks for
      * @enum {unknown}
      */
     Language?: "en" | "pt" | "es" | "de" | "id";
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Address for the person who links the account */
       Url: string;
       /** @description RFC 3339 */
       ExpiresAt: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteSessionLinkPage: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 sessionByIdLinkPage: {
  parameters: {
   path: {
    id: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "ExpiresIn": 900,
     *       "Language": "en"
     *     }
     */
    "application/json": {
     /** @description Seconds for which the link is valid; 900 when absent */
     ExpiresIn?: number;
     /**
      * @description Language of the page; when absent, the one that the browser asks for
      * @enum {unknown}
      */
     Language?: "en" | "pt" | "es" | "de" | "id";
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the session */
       Id: string;
       /** @description Address for the person who links the account */
       Url: string;
       /** @description RFC 3339 */
       ExpiresAt: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteSessionByIdLinkPage: {
  parameters: {
   path: {
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the session */
       Id: string;
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionLinkingStream: {
  responses: {
   200: {
    content: {
     "text/event-stream": string;
    };
   };
  };
 };
 getLinkPageByFile: {
  parameters: {
   path: {
    file: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/octet-stream": string;
    };
   };
  };
 };
 getLinkByToken: {
  parameters: {
   path: {
    token: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 linkByToken: {
  parameters: {
   path: {
    token: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/html": string;
    };
   };
  };
 };
 getLinkByTokenStream: {
  parameters: {
   path: {
    token: string;
   };
  };
  responses: {
   200: {
    content: {
     "text/event-stream": string;
    };
   };
  };
 };
 linkByTokenCode: {
  parameters: {
   path: {
    token: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description With country code
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Code: string;
       /** @description Milliseconds */
       ExpiresIn: number;
      };
      success: true;
     };
    };
   };
  };
 };
 linkByTokenRetry: {
  parameters: {
   path: {
    token: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 linkByTokenCancel: {
  parameters: {
   path: {
    token: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 linkByTokenPasskey: {
  parameters: {
   path: {
    token: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "id": "AQIDBA",
     *       "rawId": "AQIDBA",
     *       "type": "public-key",
     *       "response": {
     *         "clientDataJSON": "e30",
     *         "authenticatorData": "AA",
     *         "signature": "AA"
     *       }
     *     }
     */
    "application/json": {
     id: string;
     rawId: string;
     type: string;
     response: {
      clientDataJSON: string;
      authenticatorData: string;
      signature: string;
      userHandle?: string | null;
     } & {
      [key: string]: unknown;
     };
    } & {
     [key: string]: unknown;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 linkByTokenPasskeyConfirm: {
  parameters: {
   path: {
    token: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 getServerOk: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       status: string;
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 serverLicense: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Licensed: boolean;
       Status: string;
       Expiration: null;
       Version: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getServerUpdate: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       CurrentVersion: string;
       LatestVersion: null;
       UpdateAvailable: boolean;
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getServerPlugins: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Name: string;
       Version: string;
       /** @description `ready`, or `failed` for an optional plugin that did not start */
       State: string;
       Error?: string;
       /** @description Number of signals since the start that it failed to translate; their events are missing */
       TranslatorFailures: number;
       /** @description They are read at the start: change the configuration */
       Settings: {
        Name: string;
        Description: string;
        /** @description JSON; empty without one */
        Default: string;
        /** @description JSON; empty for a text, list or object that differs from the default, since it may be a secret */
        Value: string;
        /** @description It differs from the default */
        IsChanged: boolean;
       }[];
      }[];
      success: true;
     };
    };
   };
  };
 };
 getServerLive: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Live: boolean;
      };
      success: true;
     };
    };
   };
  };
 };
 getServerReady: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Ready: boolean;
       Checks: components["schemas"]["HealthCheck"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getServerConsumers: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Consumers: {
        Name: string;
        /** @description Logged events that it has not handled */
        Lag: number;
        /** @description Sessions in which it is behind the others, the slowest first; at most 10 */
        Lanes: {
         Session: string;
         Lag: number;
         /** @description Tries that failed since the last success */
         Failures: number;
         Error: string;
         /** @description Time of the next try; empty while none is waited for */
         RetryAt: string;
        }[];
        DeadLetters: number;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 serverConsumersByNameReplay: {
  parameters: {
   path: {
    name: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Since": "2026-01-31T12:00:00Z"
     *     }
     */
    "application/json": {
     After?: number;
     /** @description RFC 3339 */
     Since?: string;
     /** @description Id of a session; all when absent */
     Session?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       After: number;
       Sessions: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getServerConsumersByNameDeadLetters: {
  parameters: {
   path: {
    name: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       DeadLetters: {
        Seq: number;
        Session: string;
        /** @description Id of the event */
        Id: string;
        Type: string;
        Attempts: number;
        Error: string;
        Time: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 serverConsumersByNameDeadLettersRetry: {
  parameters: {
   path: {
    name: string;
   };
  };
  requestBody?: {
   content: {
    "application/json": {
     /** @description Dead letters by their seq; all when absent */
     Seqs?: number[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Tried: number;
       /** @description Refused again, or to be tried by the process that serves the session */
       Left: number;
      };
      success: true;
     };
    };
   };
  };
 };
 serverConsumersByNameDeadLettersDrop: {
  parameters: {
   path: {
    name: string;
   };
  };
  requestBody?: {
   content: {
    "application/json": {
     /** @description Dead letters by their seq; all when absent */
     Seqs?: number[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Dropped: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getMetrics: {
  responses: {
   200: {
    content: {
     "text/plain": string;
    };
   };
  };
 };
 newsletterCreate: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Name": "Bakery news",
     *       "Description": "What we bake today"
     *     }
     */
    "application/json": {
     Name: string;
     Description?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Newsletter"];
      success: true;
     };
    };
   };
  };
 };
 getNewsletterList: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Newsletter: components["schemas"]["Newsletter"][];
      };
      success: true;
     };
    };
   };
  };
 };
 newsletterInfo: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "JID": "120363171234567890@newsletter"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description JID of the newsletter
      * @example 120363144038483540@newsletter
      */
     JID: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Newsletter"];
      success: true;
     };
    };
   };
  };
 };
 newsletterLink: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Code": "0029VaAbCdEfGhIjKlMnOp1Q"
     *     }
     */
    "application/json": {
     /** @description Part of the link after https://whatsapp.com/channel/ */
     Code?: string;
     /** @description The whole link */
     Link?: string;
     /** @description Code or link */
     Key?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Newsletter"];
      success: true;
     };
    };
   };
  };
 };
 newsletterSubscribe: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "JID": "120363171234567890@newsletter"
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description JID of the newsletter
      * @example 120363144038483540@newsletter
      */
     JID?: string;
     /** @description Part of the link after https://whatsapp.com/channel/ */
     Code?: string;
     /** @description The whole link */
     Link?: string;
     /** @description Code or link */
     Key?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       JID: string;
      };
      success: true;
     };
    };
   };
  };
 };
 newsletterMessages: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "JID": "120363171234567890@newsletter",
     *       "Count": 10
     *     }
     */
    "application/json": {
     /**
      * Format: id
      * @description JID of the newsletter
      * @example 120363144038483540@newsletter
      */
     JID: string;
     /** @description How many; 20 when absent */
     Count?: number;
     /**
      * Format: id
      * @description Only posts before this MessageServerID
      */
     BeforeID?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Messages: components["schemas"]["NewsletterPost"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getPlugins: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Pages: {
        Plugin: string;
        Title: string;
        /** @description Name of the custom element */
        Element: string;
        /** @description Path of the module that defines it */
        Script: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getPluginsByPluginByFile: {
  parameters: {
   path: {
    plugin: string;
    file: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/octet-stream": string;
    };
   };
  };
 };
 sendText: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "Hello!"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Body: string;
     /** @description Accepted for older clients and ignored; use /send/preview for previews */
     LinkPreview?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendImage: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Image": "https://example.com/picture.jpg",
     *       "Caption": "Our shop"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The picture: data URL, base64 or http(s) link */
     Image: string;
     /** @description Text below the file */
     Caption?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendAudio: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Audio": "https://example.com/voice.ogg",
     *       "Ptt": true
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The audio: data URL, base64 or http(s) link */
     Audio: string;
     /** @description Send as a voice message (default) */
     Ptt?: boolean;
     /** @description Seconds; measured if possible when absent */
     Duration?: number;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendVideo: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Video": "https://example.com/video.mp4",
     *       "Caption": "How we bake"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The video: data URL, base64 or http(s) link */
     Video: string;
     /** @description Text below the file */
     Caption?: string;
     /** @description Preview picture of at most 256 KiB: data URL, base64 or http(s) link */
     JpegThumbnail?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendDocument: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Document": "https://example.com/picture.jpg",
     *       "FileName": "shop.jpg"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The file: data URL, base64 or http(s) link */
     Document: string;
     /** @description Its name, with ending */
     FileName: string;
     /** @description Text below the file */
     Caption?: string;
     /** @description MIME type; detected when absent */
     Mimetype?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendSticker: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Sticker": "https://example.com/picture.jpg"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The sticker: data URL, base64 or http(s) link */
     Sticker: string;
     /** @description Preview picture of at most 256 KiB: data URL, base64 or http(s) link */
     PngThumbnail?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendLocation: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Latitude": -23.5505,
     *       "Longitude": -46.6333,
     *       "Name": "Our shop"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description Degrees north */
     Latitude: number;
     /** @description Degrees east */
     Longitude: number;
     Name?: string;
     Address?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendContact: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Vcard": {
     *         "FullName": "Rui Costa",
     *         "Phone": "5511977777777",
     *         "Organization": "Bakery"
     *       }
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description FullName, Phone, Organization; or a vCard as text */
     Vcard: components["schemas"]["ContactCard"] | string;
     /** @description Display name, if Vcard is text */
     Name?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendPoll: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Question": "Which bread?",
     *       "MaxAnswer": 1,
     *       "Options": [
     *         "Rye",
     *         "Wheat"
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The question */
     Question: string;
     /** @description How many options a voter may choose; 0 for any number */
     MaxAnswer: number;
     /** @description Two to twelve options */
     Options: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendMediaurl: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Jid": "5511999999999",
     *       "Url": "https://example.com/picture.jpg",
     *       "Type": "image",
     *       "Caption": "Our shop",
     *       "Filename": ""
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, or the JID of a person, group or newsletter
      */
     Jid: string;
     /** @description Address of the file, http or https */
     Url: string;
     /**
      * @description Kind of message; ptt is a voice message
      * @enum {string}
      */
     Type: "image" | "video" | "audio" | "document" | "sticker" | "ptt";
     /** @description Text below the file; may be empty */
     Caption: string;
     /** @description Name of a document; may be empty */
     Filename: string;
     /** @description Seconds; measured if possible when absent */
     Duration?: number;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendPreview: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Text": "See https://example.com",
     *       "MatchedURL": "https://example.com",
     *       "Title": "Bakery",
     *       "Description": "Bread and cakes",
     *       "Image": "https://example.com/picture.jpg"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Text: string;
     /** @description The link; appended to the text if it is not part of it */
     MatchedURL: string;
     /** @description Heading of the preview */
     Title: string;
     /** @description Line below the heading; may be empty */
     Description: string;
     /** @description Picture of the preview: data URL, base64 or http(s) link */
     Image: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendPreview2: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Text": "See https://example.com",
     *       "MatchedURL": "https://example.com",
     *       "Title": "Bakery",
     *       "Description": "Bread and cakes",
     *       "Image": "https://example.com/picture.jpg"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Text: string;
     /** @description The link; appended to the text if it is not part of it */
     MatchedURL: string;
     /** @description Heading of the preview */
     Title: string;
     /** @description Line below the heading; may be empty */
     Description: string;
     /** @description Picture of the preview: data URL, base64 or http(s) link */
     Image: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendGroupinvite: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Text": "Join us",
     *       "MatchedText": "https://chat.whatsapp.com/HfKQ5PmU3DmBDJvL0XzWrC",
     *       "Title": "Team"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Text: string;
     /** @description The link, https://chat.whatsapp.com/…; appended to the text if it is not part of it */
     MatchedText: string;
     /** @description Name of the group */
     Title: string;
     /** @description Its picture: data URL, base64 or http(s) link */
     Image?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendTemplate: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Content": "Your order is ready",
     *       "Footer": "Bakery",
     *       "Buttons": [
     *         {
     *           "DisplayText": "Thanks",
     *           "Type": "quickreply",
     *           "Id": "thanks"
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Content: string;
     /** @description Line above the text */
     Title?: string;
     /** @description Small text below the message */
     Footer?: string;
     Buttons?: components["schemas"]["Button"][];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendButtons: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Title": "Your order",
     *       "Content": "Shall we deliver it?",
     *       "Footer": "Bakery",
     *       "Buttons": [
     *         {
     *           "id": "yes",
     *           "text": "Yes"
     *         },
     *         {
     *           "id": "no",
     *           "text": "No"
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description Line above the text */
     Title: string;
     /** @description The text */
     Content: string;
     /** @description Small text below the message */
     Footer: string;
     Buttons: components["schemas"]["ReplyButton"][];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendMediabutton: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Content": "New today",
     *       "Type": "image",
     *       "Media": "https://example.com/picture.jpg",
     *       "Buttons": [
     *         {
     *           "DisplayText": "Order",
     *           "Type": "quickreply",
     *           "Id": "order"
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Content: string;
     Buttons: components["schemas"]["Button"][];
     /**
      * @description Kind of file
      * @enum {string}
      */
     Type: "image" | "video" | "document";
     /** @description The file above the text: data URL, base64 or http(s) link */
     Media: string;
     /** @description Small text below the message */
     Footer?: string;
     /** @description Line above the text */
     Title?: string;
     /** @description Name of a document */
     Filename?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendList: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "ButtonText": "Open",
     *       "TopText": "Bread",
     *       "Desc": "What may we bake for you?",
     *       "List": [
     *         {
     *           "title": "Rye",
     *           "desc": "500 g",
     *           "RowId": "rye"
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description Label of the button that opens the list */
     ButtonText: string;
     /** @description The text */
     Desc: string;
     /** @description Line above the text */
     TopText: string;
     /** @description Small text below the message */
     FooterText?: string;
     /** @description The rows; required without Sections */
     List?: {
      /** @description Title of the row */
      title: string;
      /** @description Small text below the title */
      desc?: string;
      /**
       * Format: id
       * @description Id that the reply contains; the title when absent
       */
      RowId?: string;
     }[];
     /** @description Rows under headings, instead of List */
     Sections?: {
      title?: string;
      rows: {
       /** @description Title of the row */
       title: string;
       /** @description Small text below the title */
       desc?: string;
       /**
        * Format: id
        * @description Id that the reply contains; the title when absent
        */
       RowId?: string;
      }[];
     }[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendLocationbutton: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "Where shall we deliver?"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Body?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendCarousel: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "Our bread",
     *       "Carousel": [
     *         {
     *           "text": "Rye",
     *           "buttons": [
     *             {
     *               "DisplayText": "Order",
     *               "Type": "reply",
     *               "Id": "rye"
     *             }
     *           ]
     *         },
     *         {
     *           "text": "Wheat",
     *           "buttons": [
     *             {
     *               "DisplayText": "Order",
     *               "Type": "reply",
     *               "Id": "wheat"
     *             }
     *           ]
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description Text above the cards */
     Body?: string;
     /** @description Small text below the message */
     Footer?: string;
     /** @description Two to ten cards */
     Carousel: {
      /** @description Text of the card */
      text: string;
      /** @description Line above it */
      title?: string;
      /** @description Small text below it */
      footer?: string;
      buttons?: components["schemas"]["Button"][];
     }[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendCarouselmedia: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "Our bread",
     *       "Carousel": [
     *         {
     *           "text": "Rye",
     *           "media_url": "https://example.com/picture.jpg",
     *           "media_type": "image",
     *           "buttons": [
     *             {
     *               "DisplayText": "Order",
     *               "Type": "reply",
     *               "Id": "rye"
     *             }
     *           ]
     *         },
     *         {
     *           "text": "Wheat",
     *           "media_url": "https://example.com/picture.jpg",
     *           "media_type": "image",
     *           "buttons": [
     *             {
     *               "DisplayText": "Order",
     *               "Type": "reply",
     *               "Id": "wheat"
     *             }
     *           ]
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description Text above the cards */
     Body?: string;
     /** @description Small text below the message */
     Footer?: string;
     /** @description Two to ten cards */
     Carousel: {
      /** @description Text of the card */
      text: string;
      /** @description Line above it */
      title?: string;
      /** @description Small text below it */
      footer?: string;
      buttons?: components["schemas"]["Button"][];
      /** @description Picture or video of the card: http(s) link, data URL or base64 */
      media_url: string;
      /**
       * @description Kind of file (default image)
       * @enum {string}
       */
      media_type?: "image" | "video";
     }[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendPixbutton: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "Pay by PIX",
     *       "PixKey": "shop@example.com",
     *       "PixType": "EMAIL",
     *       "MerchantName": "Bakery"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Body: string;
     /**
      * Format: id
      * @description The PIX key
      */
     PixKey: string;
     /**
      * @description CPF, CNPJ, PHONE, EMAIL or EVP (a random key; default)
      * @example EVP
      */
     PixType?: string;
     /** @description Name of the recipient; your own name when absent */
     MerchantName?: string;
     /** @description Line above the text */
     Title?: string;
     /** @description Small text below the message */
     Footer?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sendReviewpay: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Body": "Your order",
     *       "PixKey": "shop@example.com",
     *       "PixType": "EMAIL",
     *       "MerchantName": "Bakery",
     *       "Items": [
     *         {
     *           "Name": "Bread",
     *           "Quantity": 2,
     *           "Amount": 1000
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
     ContextInfo?: components["schemas"]["ContextInfo"];
     /** @description Text of the quoted message, if it is not stored here */
     QuotedText?: string;
     /** @description The text */
     Body: string;
     /**
      * Format: id
      * @description The PIX key
      */
     PixKey: string;
     /**
      * @description CPF, CNPJ, PHONE, EMAIL or EVP (a random key; default)
      * @example EVP
      */
     PixType?: string;
     /** @description Name of the recipient; your own name when absent */
     MerchantName?: string;
     /** @description Line above the text */
     Title?: string;
     /** @description Second line above the text */
     Caption?: string;
     /** @description Small text below the message */
     Footer?: string;
     /** @description Default BRL */
     Currency?: string;
     /**
      * Format: id
      * @description Id of the order; random when absent
      */
     ReferenceID?: string;
     /** @description In 1/TotalOffset of the currency; the sum of the items when absent */
     TotalValue?: number;
     /** @description Default 100: cents */
     TotalOffset?: number;
     Items?: {
      Name: string;
      /** @description Default 1 */
      Quantity?: number;
      /** @description Unit price, in 1/TotalOffset of the currency; or with an offset of its own */
      Amount: number | {
       value: number;
       offset: number;
      };
      /** @description Reduced unit price */
      SaleAmount?: number;
      /** Format: id */
      RetailerId?: string;
      /** Format: id */
      ProductId?: string;
     }[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 sessionInit: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Name": "Shop",
     *       "Subscribe": [
     *         "Message",
     *         "ReadReceipt"
     *       ]
     *     }
     */
    "application/json": {
     /** @description Name of the session */
     Name?: string;
     /** @description Session token, which should have at least 16 characters; spaces are removed; random when absent */
     Token?: string;
     /** @description Name in the phone's list of linked devices */
     Os?: string;
     /**
      * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
      * @example {
      *       "customer": "acme"
      *     }
      */
     Labels?: {
      [key: string]: string;
     };
     /** @description URL that events are delivered to */
     Webhook?: string;
     /**
      * @description Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one
      * @example [
      *       "Message",
      *       "ReadReceipt"
      *     ]
      */
     Subscribe?: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       Name: string;
       /** @description Empty where a login of the dashboard stands for the admin token */
       Token: string;
       Os: string;
       webhook: string;
       subscribe: string[];
       /**
        * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
        * @example {
        *       "customer": "acme"
        *     }
        */
       Labels: {
        [key: string]: string;
       };
       /** @description Empty until a phone has linked the session */
       JID: string;
       /** @description A security problem of the session, such as a short token */
       Warning?: string;
       /** @description Requested classes that no enabled plugin provides; absent if none */
       dropped?: string[];
       /** @description Present if none of the requested classes is known */
       warning?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionAll: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["SessionWithState"][];
      success: true;
     };
    };
   };
  };
 };
 sessionScanned: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["SessionWithState"][];
      success: true;
     };
    };
   };
  };
 };
 sessionDelete: {
  requestBody?: {
   content: {
    "application/json": {
     /** @description The session to delete */
     Token?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       Name: string;
       JID: string;
       Details: string;
      };
      success: true;
     };
    };
   };
  };
 };
 sessionConnect: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Subscribe": [
     *         "Message"
     *       ],
     *       "Immediate": false
     *     }
     */
    "application/json": {
     /**
      * @description Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one
      * @example [
      *       "Message",
      *       "ReadReceipt"
      *     ]
      */
     Subscribe?: string[];
     /** @description Answer at once (default); false waits up to 10 s for the connection or the first QR code */
     Immediate?: boolean;
     /**
      * Format: phone
      * @description Phone number of the account, digits
      * @example 5511999999999
      */
     Phone?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       details: string;
       events: string;
       jid: string;
       webhook: string;
       LinkingCode?: string;
       /** @description Requested classes that no enabled plugin provides; absent if none */
       dropped?: string[];
       /** @description Present if none of the requested classes is known */
       warning?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 sessionPair: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511988888888"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number of the account, digits
      * @example 5511999999999
      */
     Phone: string;
     /**
      * @description Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one
      * @example [
      *       "Message",
      *       "ReadReceipt"
      *     ]
      */
     Subscribe?: string[];
     /** @description Answer at once (default); false waits up to 10 s for the connection or the first QR code */
     Immediate?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       LinkingCode: string;
       PairingCode: string;
       /** @description Requested classes that no enabled plugin provides; absent if none */
       dropped?: string[];
       /** @description Present if none of the requested classes is known */
       warning?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionQr: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description PNG data URL, 256 pixels */
       QRCode: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionStatus: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description The network has responded recently */
       Connected: boolean;
       LoggedIn: boolean;
       Jid: string;
       Name: string;
       Events: string;
       Webhook: string;
       /** @description offline, connecting, scan, code, passkey, passkey-confirm, open, waiting, logged-out, replaced, banned or failed */
       State: string;
       /** @description Why, in words */
       Reason: string;
       /** @description What to do next; empty if nothing */
       Next: string;
       /** @description When something was last received, RFC 3339; empty before the first time since the start */
       LastStanza: string;
       /** @description Since when, RFC 3339; attempts to reconnect in between do not count */
       Since: string;
      };
      success: true;
     };
    };
   };
  };
 };
 sessionDisconnect: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 sessionLogout: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 getSessionHistory: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Changes: {
        /** @description RFC 3339 */
        At: string;
        From: string;
        To: string;
        /** @description How the link ended: `restart`, `logged-out`, `replaced`, `qr-ended`, `banned`, `outdated`, `lost`, `unavailable`, `storage`, `untrusted` or `stopped`; empty for a change that was not the end of a link */
        Cause: string;
        /** @description In words; empty without one */
        Reason: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionStorage: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Rows: number;
       Bytes: number;
       Tables: components["schemas"]["StorageUse"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionPasskey: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Passkey"];
      success: true;
     };
    };
   };
  };
 };
 sessionPasskey: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "id": "AQIDBA",
     *       "rawId": "AQIDBA",
     *       "type": "public-key",
     *       "response": {
     *         "clientDataJSON": "e30",
     *         "authenticatorData": "AA",
     *         "signature": "AA"
     *       }
     *     }
     */
    "application/json": {
     /** @description Id of the credential, base64url */
     id: string;
     /** @description The same id, base64url */
     rawId: string;
     /** @description `public-key` */
     type: string;
     response: {
      /** @description What the browser signed, base64url */
      clientDataJSON: string;
      /** @description What the authenticator signed, base64url */
      authenticatorData: string;
      /** @description The signature, base64url */
      signature: string;
      userHandle?: string | null;
     } & {
      [key: string]: unknown;
     };
    } & {
     [key: string]: unknown;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Passkey"];
      success: true;
     };
    };
   };
  };
 };
 sessionPasskeyConfirm: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Passkey"];
      success: true;
     };
    };
   };
  };
 };
 sessionToken: {
  requestBody?: {
   content: {
    "application/json": {
     /** @description Seconds for which the old token stays valid; 0 when absent, as a leaked one requires */
     GraceSeconds?: number;
     /** @description Revoke the keys that were created with the tokens of this session too */
     RevokeKeys?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the session */
       Id: string;
       /** @description The new token */
       Token: string;
       /** @description RFC 3339; empty if the old token is invalid already */
       OldTokenUntil: string;
       RevokedKeys: number;
      };
      success: true;
     };
    };
   };
  };
 };
 sessionByIdToken: {
  parameters: {
   path: {
    id: string;
   };
  };
  requestBody?: {
   content: {
    "application/json": {
     /** @description Seconds for which the old token stays valid; 0 when absent, as a leaked one requires */
     GraceSeconds?: number;
     /** @description Revoke the keys that were created with the tokens of this session too */
     RevokeKeys?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the session */
       Id: string;
       /** @description The new token */
       Token: string;
       /** @description RFC 3339; empty if the old token is invalid already */
       OldTokenUntil: string;
       RevokedKeys: number;
      };
      success: true;
     };
    };
   };
  };
 };
 sessionUpdate: {
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Name": "shop",
     *       "Labels": {
     *         "customer": "acme"
     *       }
     *     }
     */
    "application/json": {
     /** @description New name */
     Name?: string;
     /**
      * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
      * @example {
      *       "customer": "acme"
      *     }
      */
     Labels?: {
      [key: string]: string;
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       Name: string;
       /**
        * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
        * @example {
        *       "customer": "acme"
        *     }
        */
       Labels: {
        [key: string]: string;
       };
      };
      success: true;
     };
    };
   };
  };
 };
 sessionByIdUpdate: {
  parameters: {
   path: {
    id: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "Labels": {
     *         "customer": "acme"
     *       }
     *     }
     */
    "application/json": {
     /** @description New name */
     Name?: string;
     /**
      * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
      * @example {
      *       "customer": "acme"
      *     }
      */
     Labels?: {
      [key: string]: string;
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Id: string;
       Name: string;
       /**
        * @description Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event
        * @example {
        *       "customer": "acme"
        *     }
        */
       Labels: {
        [key: string]: string;
       };
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionSummary: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Sessions: components["schemas"]["SessionSummary"][];
      };
      success: true;
     };
    };
   };
  };
 };
 getSessionSummaryStream: {
  responses: {
   200: {
    content: {
     "text/event-stream": string;
    };
   };
  };
 };
 statusText: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Text": "Fresh bread from seven",
     *       "BackgroundColor": 4280184410,
     *       "StatusJidList": [
     *         "5511999999999"
     *       ]
     *     }
     */
    "application/json": {
     /** @description The text */
     Text: string;
     /**
      * @description Text colour: ARGB, signed or unsigned
      * @example 4280233012
      */
     TextColor?: number;
     /**
      * @description Background colour: ARGB, signed or unsigned
      * @example 4280233012
      */
     BackgroundColor?: number;
     /**
      * @description Which letters
      * @enum {unknown}
      */
     Font?: 0 | 1 | 2 | 6 | 7 | 8 | 9 | 10;
     /** @description Numbers or JIDs of the recipients; the contacts when absent */
     StatusJidList?: string[];
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 statusImage: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Image": "https://example.com/picture.jpg",
     *       "Caption": "Fresh bread",
     *       "StatusJidList": [
     *         "5511999999999"
     *       ]
     *     }
     */
    "application/json": {
     /** @description The picture: data URL, base64 or http(s) link */
     Image: string;
     /** @description Text below the file */
     Caption?: string;
     /** @description Numbers or JIDs of the recipients; the contacts when absent */
     StatusJidList?: string[];
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 statusVideo: {
  parameters: {
   header?: {
    /** @description A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`) */
    "Idempotency-Key"?: string;
    /** @description `respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome */
    Prefer?: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "Video": "https://example.com/video.mp4",
     *       "Caption": "How we bake",
     *       "StatusJidList": [
     *         "5511999999999"
     *       ]
     *     }
     */
    "application/json": {
     /** @description The video: data URL, base64 or http(s) link */
     Video: string;
     /** @description Text below the file */
     Caption?: string;
     /** @description Preview picture of at most 256 KiB: data URL, base64 or http(s) link */
     JpegThumbnail?: string;
     /** @description Numbers or JIDs of the recipients; the contacts when absent */
     StatusJidList?: string[];
     /**
      * Format: id
      * @description Message id of your choice: the same id is never sent twice
      */
     Id?: string;
     /** @description When to send it (plugin `schedule`): RFC 3339, such as 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled */
     SendAt?: string;
     /** @description Of a `SendAt` without an offset, such as Europe/Berlin */
     TimeZone?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Sent"];
      success: true;
     };
    };
   };
  };
 };
 userInfo: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": [
     *         "5511999999999"
     *       ]
     *     }
     */
    "application/json": {
     /**
      * @description Phone numbers with country code, JIDs, or usernames (@name)
      * @example [
      *       "5511999999999"
      *     ]
      */
     Phone: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Users: {
        [key: string]: {
         VerifiedName: string;
         Status: string;
         PictureID: string;
         Devices: string[];
         LID: string;
         /** @description Without @; absent if there is none */
         Username?: string;
        };
       };
      };
      success: true;
     };
    };
   };
  };
 };
 userCheck: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": [
     *         "5511999999999",
     *         "5511900000000"
     *       ]
     *     }
     */
    "application/json": {
     /**
      * @description Phone numbers with country code, JIDs, or usernames (@name)
      * @example [
      *       "5511999999999"
      *     ]
      */
     Phone: string[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Users: {
        /** @description The number as given in the request */
        Query: string;
        IsInWhatsapp: boolean;
        JID: string;
        LID: string;
        VerifiedName: string;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 getUserAvatar: {
  parameters: {
   query?: {
    /** @example 5511999999999 */
    Phone?: string;
    /** @example true */
    Preview?: boolean;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       URL: string;
       ID: string;
       /** @description image or preview */
       Type: string;
       DirectPath: string;
       url: string;
       id: string;
      };
      success: true;
     };
    };
   };
  };
 };
 userAvatar: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511999999999",
     *       "Preview": true
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
     /** @description The small picture; the full one when absent */
     Preview?: boolean;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       URL: string;
       ID: string;
       /** @description image or preview */
       Type: string;
       DirectPath: string;
       url: string;
       id: string;
      };
      success: true;
     };
    };
   };
  };
 };
 userParselid: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "LID": "123456789012345@lid"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description With or without `@lid`
      */
     LID: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       success: boolean;
       jid: string;
       jidClear: string;
       lid: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getUserPrivacy: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Privacy"];
      success: true;
     };
    };
   };
  };
 };
 userBlock: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511988888888"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["BlockList"];
      success: true;
     };
    };
   };
  };
 };
 userUnblock: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Phone": "5511988888888"
     *     }
     */
    "application/json": {
     /**
      * Format: phone
      * @description Phone number with country code, the JID of a person, group or newsletter, or a username (@name)
      * @example 5511999999999
      */
     Phone: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["BlockList"];
      success: true;
     };
    };
   };
  };
 };
 getUserBlocklist: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["BlockList"];
      success: true;
     };
    };
   };
  };
 };
 userProfile: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Image": "https://example.com/picture.jpg"
     *     }
     */
    "application/json": {
     /** @description The picture; cropped to a square around its middle: data URL, base64 or http(s) link */
     Image: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Details: string;
       PictureID: string;
      };
      success: true;
     };
    };
   };
  };
 };
 userPresence: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "Presence": "available"
     *     }
     */
    "application/json": {
     /**
      * @description available or unavailable
      * @example available
      */
     Presence: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Done"];
      success: true;
     };
    };
   };
  };
 };
 getUserLimits: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: components["schemas"]["Limits"];
      success: true;
     };
    };
   };
  };
 };
 getChats: {
  parameters: {
   query?: {
    before?: string;
    /** @example 20 */
    limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Chats: components["schemas"]["Chat"][];
       /** @description Pass it as `before` to get the next page; 0 if there is none */
       Before: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getChatsSearch: {
  parameters: {
   query: {
    /** @example invoice */
    text: string;
    before?: string;
    limit?: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Messages: components["schemas"]["ChatMessage"][];
       /** @description Pass it as `before` to get the next page; 0 if there is none */
       Before: number;
       /** @description Messages that were read for this page */
       Read: number;
      };
      success: true;
     };
    };
   };
  };
 };
 getChatsByJidMessages: {
  parameters: {
   query?: {
    text?: string;
    before?: string;
    /** @example 20 */
    limit?: string;
   };
   path: {
    jid: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Messages: components["schemas"]["ChatMessage"][];
       /** @description Pass it as `before` to get the next page; 0 if there is none */
       Before: number;
      };
      success: true;
     };
    };
   };
  };
 };
 vbyVersionByIdMessages: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "messaging_product": "whatsapp",
     *       "to": "5511999999999",
     *       "type": "text",
     *       "text": {
     *         "body": "Hello!"
     *       }
     *     }
     */
    "application/json": {
     /** @enum {unknown} */
     messaging_product: "whatsapp";
     /** @enum {unknown} */
     recipient_type?: "individual" | "group";
     /**
      * Format: phone
      * @description Phone number with country code, or a JID
      * @example 5511999999999
      */
     to?: string;
     /**
      * Format: phone
      * @description A `user_id` of a webhook, in place of `to`
      */
     recipient?: string;
     /**
      * @description Kind of message; text when absent
      * @example text
      */
     type?: string;
     /** @enum {unknown} */
     status?: "read";
     /**
      * Format: id
      * @description With `status`: the message that was read
      */
     message_id?: string;
     typing_indicator?: {
      /** @enum {unknown} */
      type: "text";
     };
     context?: {
      /** Format: id */
      message_id: string;
     };
     biz_opaque_callback_data?: string;
     text?: {
      body: string;
      preview_url?: boolean;
     };
     image?: {
      /**
       * Format: id
       * @description Of an upload, or of a received message
       */
      id?: string;
      /** @description Address of the file */
      link?: string;
      caption?: string;
      /** @description Of a document */
      filename?: string;
      /** @description Send audio as a voice message */
      voice?: boolean;
     };
     video?: {
      /**
       * Format: id
       * @description Of an upload, or of a received message
       */
      id?: string;
      /** @description Address of the file */
      link?: string;
      caption?: string;
      /** @description Of a document */
      filename?: string;
      /** @description Send audio as a voice message */
      voice?: boolean;
     };
     audio?: {
      /**
       * Format: id
       * @description Of an upload, or of a received message
       */
      id?: string;
      /** @description Address of the file */
      link?: string;
      caption?: string;
      /** @description Of a document */
      filename?: string;
      /** @description Send audio as a voice message */
      voice?: boolean;
     };
     document?: {
      /**
       * Format: id
       * @description Of an upload, or of a received message
       */
      id?: string;
      /** @description Address of the file */
      link?: string;
      caption?: string;
      /** @description Of a document */
      filename?: string;
      /** @description Send audio as a voice message */
      voice?: boolean;
     };
     sticker?: {
      /**
       * Format: id
       * @description Of an upload, or of a received message
       */
      id?: string;
      /** @description Address of the file */
      link?: string;
      caption?: string;
      /** @description Of a document */
      filename?: string;
      /** @description Send audio as a voice message */
      voice?: boolean;
     };
     location?: {
      latitude: number;
      longitude: number;
      name?: string;
      address?: string;
     };
     contacts?: ({
      name: {
       formatted_name: string;
      } & {
       [key: string]: unknown;
      };
     } & {
      [key: string]: unknown;
     })[];
     reaction?: {
      /** Format: id */
      message_id: string;
      /** @description Empty removes it */
      emoji?: string;
     };
     interactive?: {
      /** @description button, list, cta_url or location_request_message */
      type: string;
      header?: {
       /** @enum {unknown} */
       type: "text" | "image" | "video" | "document";
       text?: string;
       image?: {
        /**
         * Format: id
         * @description Of an upload, or of a received message
         */
        id?: string;
        /** @description Address of the file */
        link?: string;
        caption?: string;
        /** @description Of a document */
        filename?: string;
        /** @description Send audio as a voice message */
        voice?: boolean;
       };
       video?: {
        /**
         * Format: id
         * @description Of an upload, or of a received message
         */
        id?: string;
        /** @description Address of the file */
        link?: string;
        caption?: string;
        /** @description Of a document */
        filename?: string;
        /** @description Send audio as a voice message */
        voice?: boolean;
       };
       document?: {
        /**
         * Format: id
         * @description Of an upload, or of a received message
         */
        id?: string;
        /** @description Address of the file */
        link?: string;
        caption?: string;
        /** @description Of a document */
        filename?: string;
        /** @description Send audio as a voice message */
        voice?: boolean;
       };
      };
      body?: {
       text: string;
      };
      footer?: {
       text: string;
      };
      action?: {
       name?: string;
       button?: string;
       buttons?: {
        type?: string;
        reply: {
         /** Format: id */
         id: string;
         title: string;
        };
       }[];
       sections?: {
        title?: string;
        rows: {
         /** Format: id */
         id: string;
         title: string;
         description?: string;
        }[];
       }[];
       parameters?: {
        display_text?: string;
        url?: string;
       };
      };
     };
     template?: {
      name: string;
      language: {
       code: string;
       policy?: string;
      };
      components?: {
       [key: string]: unknown;
      }[];
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionByIdMedia: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  requestBody: {
   content: {
    "multipart/form-data": unknown;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getVbyVersionByIdContent: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getVbyVersionById: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionById: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  requestBody?: {
   content: {
    "application/json": {
     /** Format: id */
     pin?: string;
     webhook_configuration?: {
      override_callback_uri?: string;
      verify_token?: string;
     };
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 deleteVbyVersionById: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getVbyVersionByIdMessageTemplates: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionByIdMessageTemplates: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  requestBody: {
   content: {
    /**
     * @example {
     *       "name": "order_ready",
     *       "language": "en_US",
     *       "category": "UTILITY",
     *       "components": [
     *         {
     *           "type": "BODY",
     *           "text": "Hello {{1}}, your order {{2}} is ready."
     *         }
     *       ]
     *     }
     */
    "application/json": {
     /** @description Lower-case letters, digits and _ */
     name: string;
     /** @example en_US */
     language: string;
     /** @description UTILITY when absent */
     category?: string;
     parameter_format?: string;
     components: ({
      /** @description HEADER, BODY, FOOTER or BUTTONS */
      type: string;
      /** @description Of a header: TEXT, IMAGE, VIDEO or DOCUMENT */
      format?: string;
      text?: string;
      buttons?: ({
       type: string;
       text?: string;
       url?: string;
       phone_number?: string;
      } & {
       [key: string]: unknown;
      })[];
     } & {
      [key: string]: unknown;
     })[];
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 deleteVbyVersionByIdMessageTemplates: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getVbyVersionByIdPhoneNumbers: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionByIdRegister: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionByIdDeregister: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getVbyVersionByIdSubscribedApps: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionByIdSubscribedApps: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  requestBody?: {
   content: {
    /**
     * @example {
     *       "override_callback_uri": "https://example.com/whatsapp",
     *       "verify_token": "my-verify-token"
     *     }
     */
    "application/json": {
     override_callback_uri?: string;
     verify_token?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 deleteVbyVersionByIdSubscribedApps: {
  parameters: {
   path: {
    version: string;
    id: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getCloudApi: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the phone number, as clients of the Cloud API name it */
       PhoneNumberId: string;
       /** @description Id of the WhatsApp Business Account: the same */
       BusinessAccountId: string;
       /** @description Webhook of the Cloud API; empty without one */
       URL: string;
       /** @description Bodies that it has not accepted yet */
       Waiting: number;
       /** @description Bodies that it never accepted */
       Dead: number;
       /** @description Why the last one was not accepted; empty when none waits */
       LastError: string;
      };
      success: true;
     };
    };
   };
  };
 };
 putCloudApiWebhook: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "URL": "https://example.com/whatsapp",
     *       "VerifyToken": "my-verify-token",
     *       "AppSecret": "my-app-secret"
     *     }
     */
    "application/json": {
     /** @description http or https */
     URL: string;
     /** @description Any text; the receiver compares it when it answers the challenge */
     VerifyToken: string;
     /** @description Signs the bodies; unchanged when absent, for a new webhook `appSecret` of the settings or a random one */
     AppSecret?: string;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the phone number, as clients of the Cloud API name it */
       PhoneNumberId: string;
       /** @description Id of the WhatsApp Business Account: the same */
       BusinessAccountId: string;
       /** @description Webhook of the Cloud API; empty without one */
       URL: string;
       /** @description Bodies that it has not accepted yet */
       Waiting: number;
       /** @description Bodies that it never accepted */
       Dead: number;
       /** @description Why the last one was not accepted; empty when none waits */
       LastError: string;
       /** @description Present if it was generated now */
       AppSecret?: string;
      };
      success: true;
     };
    };
   };
  };
 };
 deleteCloudApiWebhook: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the phone number, as clients of the Cloud API name it */
       PhoneNumberId: string;
       /** @description Id of the WhatsApp Business Account: the same */
       BusinessAccountId: string;
       /** @description Webhook of the Cloud API; empty without one */
       URL: string;
       /** @description Bodies that it has not accepted yet */
       Waiting: number;
       /** @description Bodies that it never accepted */
       Dead: number;
       /** @description Why the last one was not accepted; empty when none waits */
       LastError: string;
      };
      success: true;
     };
    };
   };
  };
 };
 cloudApiWebhookRetry: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       /** @description Id of the phone number, as clients of the Cloud API name it */
       PhoneNumberId: string;
       /** @description Id of the WhatsApp Business Account: the same */
       BusinessAccountId: string;
       /** @description Webhook of the Cloud API; empty without one */
       URL: string;
       /** @description Bodies that it has not accepted yet */
       Waiting: number;
       /** @description Bodies that it never accepted */
       Dead: number;
       /** @description Why the last one was not accepted; empty when none waits */
       LastError: string;
      };
      success: true;
     };
    };
   };
  };
 };
 getVbyVersionByIdByEdge: {
  parameters: {
   path: {
    version: string;
    id: string;
    edge: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 vbyVersionByIdByEdge: {
  parameters: {
   path: {
    version: string;
    id: string;
    edge: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 deleteVbyVersionByIdByEdge: {
  parameters: {
   path: {
    version: string;
    id: string;
    edge: string;
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 postMcp: {
  requestBody: {
   content: {
    /**
     * @example {
     *       "jsonrpc": "2.0",
     *       "id": 1,
     *       "method": "tools/list"
     *     }
     */
    "application/json": {
     jsonrpc: "2.0";
     id?: string | number;
     method?: string;
     params?: unknown;
     result?: unknown;
     error?: unknown;
    };
   };
  };
  responses: {
   200: {
    content: {
     "application/json": Record<string, never>;
    };
   };
  };
 };
 getServerOutputs: {
  responses: {
   200: {
    content: {
     "application/json": {
      code: 200;
      data: {
       Outputs: {
        /** @description Of the plugin, and of its consumer */
        Name: string;
        Broker: string;
        Connected: boolean;
        /** @description Messages that the broker has confirmed since the start */
        Published: number;
        /** @description Tries that have failed since the start */
        Failed: number;
        /** @description Why it is not connected, or why the last try failed; empty if it succeeded */
        Error: string;
        /** @description Empty before the first */
        LastPublished: string;
        /** @description Logged events that are not handled yet */
        Lag: number;
       }[];
      };
      success: true;
     };
    };
   };
  };
 };
 onMessageScheduled: {
  requestBody?: {
   content: {
    "application/json": {
     type: "MessageScheduled";
     event: {
      /** @description Message id, also of the message once it is sent */
      Id: string;
      /** @description Can be used as Phone */
      Chat: string;
      /** @description The route that it was scheduled with, such as /send/text */
      Route: string;
      /** Format: date-time */
      SendAt: string;
      /** @description Error code, where it has failed; else empty */
      Code: string;
      /** @description In words */
      Error: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onScheduleCancelled: {
  requestBody?: {
   content: {
    "application/json": {
     type: "ScheduleCancelled";
     event: {
      /** @description Message id, also of the message once it is sent */
      Id: string;
      /** @description Can be used as Phone */
      Chat: string;
      /** @description The route that it was scheduled with, such as /send/text */
      Route: string;
      /** Format: date-time */
      SendAt: string;
      /** @description Error code, where it has failed; else empty */
      Code: string;
      /** @description In words */
      Error: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onScheduleSent: {
  requestBody?: {
   content: {
    "application/json": {
     type: "ScheduleSent";
     event: {
      /** @description Message id, also of the message once it is sent */
      Id: string;
      /** @description Can be used as Phone */
      Chat: string;
      /** @description The route that it was scheduled with, such as /send/text */
      Route: string;
      /** Format: date-time */
      SendAt: string;
      /** @description Error code, where it has failed; else empty */
      Code: string;
      /** @description In words */
      Error: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onScheduleFailed: {
  requestBody?: {
   content: {
    "application/json": {
     type: "ScheduleFailed";
     event: {
      /** @description Message id, also of the message once it is sent */
      Id: string;
      /** @description Can be used as Phone */
      Chat: string;
      /** @description The route that it was scheduled with, such as /send/text */
      Route: string;
      /** Format: date-time */
      SendAt: string;
      /** @description Error code, where it has failed; else empty */
      Code: string;
      /** @description In words */
      Error: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallOffer: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallOffer";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallOfferNotice: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallOfferNotice";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallAccept: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallAccept";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallReject: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallReject";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallTerminate: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallTerminate";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallRelayLatency: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallRelayLatency";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallPreAccept: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallPreAccept";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallTransport: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallTransport";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onCallRinging: {
  requestBody?: {
   content: {
    "application/json": {
     type: "CallRinging";
     event: {
      /** @description Sender of the signal; can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty if unknown */
      FromAlt: string;
      /** Format: date-time */
      Timestamp: string;
      /** @description The caller */
      CallCreator: string;
      /** @description The other form, phone or LID; empty if unknown */
      CallCreatorAlt: string;
      CallID: string;
      /** @description Group of a group call; otherwise empty */
      GroupJID: string;
      RemotePlatform: string;
      RemoteVersion: string;
      /** @description For an offer: audio or video */
      Media: string;
      /** @description For a notice: group */
      Type: string;
      /** @description For the end of a call: timeout, accepted_elsewhere … */
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPin: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Pin";
     event: {
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onArchive: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Archive";
     event: {
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onMute: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Mute";
     event: {
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onMarkChatAsRead: {
  requestBody?: {
   content: {
    "application/json": {
     type: "MarkChatAsRead";
     event: {
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onDeleteChat: {
  requestBody?: {
   content: {
    "application/json": {
     type: "DeleteChat";
     event: {
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
      DeleteMedia: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onContact: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Contact";
     event: {
      /** @description The person; can be used as Phone */
      JID: string;
      /** @description Its LID; empty when unknown */
      JIDAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      Removed: boolean;
      FromFullSync: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPushName: {
  requestBody?: {
   content: {
    "application/json": {
     type: "PushName";
     event: {
      /** @description The person; can be used as Phone */
      JID: string;
      /** @description Its LID; empty when unknown */
      JIDAlt: string;
      Message: {
       ID: string;
       Chat: string;
       Sender: string;
       Timestamp: string;
      };
      OldPushName: string;
      NewPushName: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onMessage: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Message";
     event: {
      Info: {
       /** @description Can be used as Phone in a reply */
       Chat: string;
       Sender: string;
       /** @description The sender's other form, phone or LID; empty when unknown */
       SenderAlt: string;
       RecipientAlt: string;
       IsFromMe: boolean;
       IsGroup: boolean;
       AddressingMode: string;
       /** @description Message id */
       ID: string;
       /** @description text, media, poll or reaction */
       Type: string;
       MediaType: string;
       PushName: string;
       /** Format: date-time */
       Timestamp: string;
       Category: string;
       /** @description 1 edited, 3 edited post (with the ID of the post), 7 or 8 revoked; otherwise empty */
       Edit: string;
       Multicast: boolean;
       ServerID: number;
       BroadcastListOwner: string;
       VerifiedName: null;
       DeviceSentMeta: null;
       /** @description Without @; absent if the network did not name one with the message */
       SenderUsername?: string;
       /** @description Of an own message, without @; absent if the network did not name one */
       RecipientUsername?: string;
      };
      /** @description The content; bytes are base64, 64-bit numbers are text */
      Message: {
       [key: string]: unknown;
      };
      IsEphemeral: boolean;
      IsViewOnce: boolean;
      IsViewOnceV2: boolean;
      IsDocumentWithCaption: boolean;
      IsEdit: boolean;
      /** @description For a vote: the chosen options; empty when the vote was withdrawn */
      PollVote?: {
       PollID: string;
       Question: string;
       SelectedOptions: string[];
      };
     };
     state?: string;
     /** @description The message in plain fields; field names are the same for every kind of message */
     message?: {
      /** @description Message id */
      id: string;
      /**
       * @description Kind of content; interactive: buttons, lists, templates; selection: what was chosen of them; system: a setting of the chat; other: see `event.Message`
       * @enum {unknown}
       */
      type: "text" | "image" | "video" | "videoNote" | "audio" | "voice" | "document" | "sticker" | "location" | "liveLocation" | "contact" | "poll" | "event" | "invite" | "product" | "order" | "interactive" | "selection" | "album" | "vote" | "reaction" | "edit" | "revoke" | "pin" | "system" | "undecryptable" | "other";
      /** @description Text, caption, question, or the new text of an edit; empty if there is none */
      text: string;
      from: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @description Name that the person chose; empty if unknown */
       name: string;
       /** @description Without @; empty if unknown */
       username: string;
      };
      /** @description Where it was sent; a reply goes to `chat.jid` */
      chat: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @enum {unknown} */
       type: "person" | "group" | "newsletter" | "status" | "broadcast";
       isGroup: boolean;
      };
      /** @description The other side, of a chat with one person */
      to?: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @description Without @; empty if unknown */
       username: string;
      };
      /** Format: date-time */
      time: string;
      /** @description Sent by this account, on any of its devices */
      isFromMe: boolean;
      isForwarded: boolean;
      /** @description It changes an earlier message: its new text is `text` */
      isEdited: boolean;
      isViewOnce: boolean;
      isEphemeral: boolean;
      /** @description Its file, which a delivery holds in `base64`, or links to in `mediaUrl` */
      media?: {
       mimeType: string;
       /** @description A document's own name; else message id and extension */
       fileName: string;
       /** @description Bytes, as the sender declares */
       size: number;
       /** @description Of audio and video */
       seconds?: number;
       width?: number;
       height?: number;
      };
      /** @description Replied to */
      quoted?: {
       id: string;
       /**
        * @description Kind of content; interactive: buttons, lists, templates; selection: what was chosen of them; system: a setting of the chat; other: see `event.Message`
        * @enum {unknown}
        */
       type: "text" | "image" | "video" | "videoNote" | "audio" | "voice" | "document" | "sticker" | "location" | "liveLocation" | "contact" | "poll" | "event" | "invite" | "product" | "order" | "interactive" | "selection" | "album" | "vote" | "reaction" | "edit" | "revoke" | "pin" | "system" | "undecryptable" | "other";
       text: string;
       from: {
        /** @description LID or phone JID, as the network named it; can be used as Phone */
        jid: string;
        /** @description Phone number, digits only; empty if unknown */
        phone: string;
        /** @description LID, such as 910000000911557@lid; empty if unknown */
        lid: string;
       };
      };
      mentions: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
      }[];
      /** @description Id of the message that is edited, revoked, pinned, reacted to or voted on */
      targetId?: string;
      reaction?: {
       /** @description Empty: the reaction was removed */
       emoji: string;
      };
      poll?: {
       question: string;
       options: string[];
       /** @description 0: any number */
       maxSelections: number;
      };
      vote?: {
       question: string;
       /** @description The chosen ones; empty: the vote was withdrawn */
       options: string[];
      };
      /** @description The chosen button or row */
      selection?: {
       id: string;
       text: string;
      };
      location?: {
       latitude: number;
       longitude: number;
       name: string;
       address: string;
      };
      contacts?: {
       name: string;
       phones: string[];
      }[];
     };
     /** @description What plugins have added to this message, by plugin; absent for none */
     annotations?: {
      [key: string]: {
       [key: string]: unknown;
      };
     };
     /** @description Present for stickers */
     isSticker?: boolean;
     /** @description Present for stickers */
     stickerAnimated?: boolean;
     /** @description The file; only in deliveries to webhooks */
     base64?: string;
     /** @description In place of `base64`, in streams and for a file above WAMUX_MESSAGES_INLINE_BYTES: a signed link, which needs no token and expires; it begins with WAMUX_MESSAGES_PUBLIC_URL */
     mediaUrl?: string;
     /** @description In place of both: why the file is not available */
     mediaError?: string;
     /** @description Of the file */
     mimeType?: string;
     /** @description Message id and extension */
     fileName?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onReadReceipt: {
  requestBody?: {
   content: {
    "application/json": {
     type: "ReadReceipt";
     event: {
      Chat: string;
      Sender: string;
      SenderAlt: string;
      IsFromMe: boolean;
      IsGroup: boolean;
      MessageIDs: string[];
      Timestamp: string;
      /** @description Empty for delivered; read, read-self or played */
      Type: string;
      MessageSender: string;
     };
     /**
      * @description ReadSelf: read by this account on another device
      * @enum {unknown}
      */
     state?: "Delivered" | "Read" | "ReadSelf" | "Played";
     /** @description The receipt in plain fields */
     receipt?: {
      /** @description Message ids */
      ids: string[];
      /** @enum {unknown} */
      status: "delivered" | "read" | "played";
      from: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
      };
      /** @description Where it was sent; a reply goes to `chat.jid` */
      chat: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @enum {unknown} */
       type: "person" | "group" | "newsletter" | "status" | "broadcast";
       isGroup: boolean;
      };
      /** @description By another device of this account */
      isFromMe: boolean;
      /** Format: date-time */
      time: string;
     };
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onSendFailed: {
  requestBody?: {
   content: {
    "application/json": {
     type: "SendFailed";
     event: {
      /** @description Message id, as returned by the send */
      Id: string;
      Chat: string;
      /** @description Error code; NETWORK_SILENT: it may have been sent; SEND_FAILED: refused, or abandoned because WhatsApp closed the connection on it twice (see Error) */
      Code: string;
      /** @description In words */
      Error: string;
      Timestamp: string;
     };
     state?: string;
     /** @description What plugins have added to this message, by plugin; absent for none */
     annotations?: {
      [key: string]: {
       [key: string]: unknown;
      };
     };
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onUndecryptableMessage: {
  requestBody?: {
   content: {
    "application/json": {
     type: "UndecryptableMessage";
     event: {
      Info: {
       /** @description Can be used as Phone in a reply */
       Chat: string;
       Sender: string;
       /** @description The sender's other form, phone or LID; empty when unknown */
       SenderAlt: string;
       RecipientAlt: string;
       IsFromMe: boolean;
       IsGroup: boolean;
       AddressingMode: string;
       /** @description Message id */
       ID: string;
       /** @description text, media, poll or reaction */
       Type: string;
       MediaType: string;
       PushName: string;
       /** Format: date-time */
       Timestamp: string;
       Category: string;
       /** @description 1 edited, 3 edited post (with the ID of the post), 7 or 8 revoked; otherwise empty */
       Edit: string;
       Multicast: boolean;
       ServerID: number;
       BroadcastListOwner: string;
       VerifiedName: null;
       DeviceSentMeta: null;
       /** @description Without @; absent if the network did not name one with the message */
       SenderUsername?: string;
       /** @description Of an own message, without @; absent if the network did not name one */
       RecipientUsername?: string;
      };
      /** @description The network had no content for this device */
      IsUnavailable: boolean;
      /** @description For example view_once */
      UnavailableType: string;
      /** @description `hide` where apps should not show it */
      DecryptFailMode: string;
      Reason: string;
     };
     state?: string;
     /** @description The message in plain fields; field names are the same for every kind of message */
     message?: {
      /** @description Message id */
      id: string;
      /**
       * @description Kind of content; interactive: buttons, lists, templates; selection: what was chosen of them; system: a setting of the chat; other: see `event.Message`
       * @enum {unknown}
       */
      type: "text" | "image" | "video" | "videoNote" | "audio" | "voice" | "document" | "sticker" | "location" | "liveLocation" | "contact" | "poll" | "event" | "invite" | "product" | "order" | "interactive" | "selection" | "album" | "vote" | "reaction" | "edit" | "revoke" | "pin" | "system" | "undecryptable" | "other";
      /** @description Text, caption, question, or the new text of an edit; empty if there is none */
      text: string;
      from: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @description Name that the person chose; empty if unknown */
       name: string;
       /** @description Without @; empty if unknown */
       username: string;
      };
      /** @description Where it was sent; a reply goes to `chat.jid` */
      chat: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @enum {unknown} */
       type: "person" | "group" | "newsletter" | "status" | "broadcast";
       isGroup: boolean;
      };
      /** @description The other side, of a chat with one person */
      to?: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
       /** @description Without @; empty if unknown */
       username: string;
      };
      /** Format: date-time */
      time: string;
      /** @description Sent by this account, on any of its devices */
      isFromMe: boolean;
      isForwarded: boolean;
      /** @description It changes an earlier message: its new text is `text` */
      isEdited: boolean;
      isViewOnce: boolean;
      isEphemeral: boolean;
      /** @description Its file, which a delivery holds in `base64`, or links to in `mediaUrl` */
      media?: {
       mimeType: string;
       /** @description A document's own name; else message id and extension */
       fileName: string;
       /** @description Bytes, as the sender declares */
       size: number;
       /** @description Of audio and video */
       seconds?: number;
       width?: number;
       height?: number;
      };
      /** @description Replied to */
      quoted?: {
       id: string;
       /**
        * @description Kind of content; interactive: buttons, lists, templates; selection: what was chosen of them; system: a setting of the chat; other: see `event.Message`
        * @enum {unknown}
        */
       type: "text" | "image" | "video" | "videoNote" | "audio" | "voice" | "document" | "sticker" | "location" | "liveLocation" | "contact" | "poll" | "event" | "invite" | "product" | "order" | "interactive" | "selection" | "album" | "vote" | "reaction" | "edit" | "revoke" | "pin" | "system" | "undecryptable" | "other";
       text: string;
       from: {
        /** @description LID or phone JID, as the network named it; can be used as Phone */
        jid: string;
        /** @description Phone number, digits only; empty if unknown */
        phone: string;
        /** @description LID, such as 910000000911557@lid; empty if unknown */
        lid: string;
       };
      };
      mentions: {
       /** @description LID or phone JID, as the network named it; can be used as Phone */
       jid: string;
       /** @description Phone number, digits only; empty if unknown */
       phone: string;
       /** @description LID, such as 910000000911557@lid; empty if unknown */
       lid: string;
      }[];
      /** @description Id of the message that is edited, revoked, pinned, reacted to or voted on */
      targetId?: string;
      reaction?: {
       /** @description Empty: the reaction was removed */
       emoji: string;
      };
      poll?: {
       question: string;
       options: string[];
       /** @description 0: any number */
       maxSelections: number;
      };
      vote?: {
       question: string;
       /** @description The chosen ones; empty: the vote was withdrawn */
       options: string[];
      };
      /** @description The chosen button or row */
      selection?: {
       id: string;
       text: string;
      };
      location?: {
       latitude: number;
       longitude: number;
       name: string;
       address: string;
      };
      contacts?: {
       name: string;
       phones: string[];
      }[];
     };
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onHistorySync: {
  requestBody?: {
   content: {
    "application/json": {
     type: "HistorySync";
     event: {
      Data: {
       /** @description 0 first, 2 full, 3 recent, 4 names, 6 on demand */
       syncType: number;
       progress: number;
       /** @description Number of the history part, as the phone divided it */
       chunkOrder: number;
       /** @description RequestId of /chat/history, if this is its answer; else absent */
       requestID?: string;
       /** @description Number of the chunk within that part, from 0 */
       piece: number;
       pieces: number;
       conversations: ({
        ID: string;
       } & {
        [key: string]: unknown;
       })[];
       pushnames: {
        ID: string;
        pushname: string;
       }[];
       phoneNumberToLidMappings: {
        lidJID: string;
        pnJID: string;
       }[];
      };
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onWebhookDisabled: {
  requestBody?: {
   content: {
    "application/json": {
     type: "WebhookDisabled";
     event: {
      Endpoint: string;
      URL: string;
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onGroupInfo: {
  requestBody?: {
   content: {
    "application/json": {
     type: "GroupInfo";
     event: {
      JID: string;
      /** @description Push name of the sender */
      Notify: string;
      /** @description Who made the change */
      Sender: string;
      /** @description Phone JID of the sender; empty when unknown */
      SenderPN: string;
      Timestamp: string;
      Name: null | ({
       Name: string;
      } & {
       [key: string]: unknown;
      });
      Topic: null | ({
       Topic: string;
       TopicID: string;
      } & {
       [key: string]: unknown;
      });
      Locked: null | {
       [key: string]: unknown;
      };
      Announce: null | ({
       AnnounceVersionID: string;
      } & {
       [key: string]: unknown;
      });
      Ephemeral: null | {
       [key: string]: unknown;
      };
      MembershipApprovalMode: null | {
       [key: string]: unknown;
      };
      Delete: null | ({
       DeleteReason: string;
      } & {
       [key: string]: unknown;
      });
      Link: null | ({
       Type: string;
      } & {
       [key: string]: unknown;
      });
      Unlink: null | ({
       Type: string;
      } & {
       [key: string]: unknown;
      });
      NewInviteLink: null | string;
      PrevParticipantVersionID: string;
      ParticipantVersionID: string;
      JoinReason: string;
      Join: string[];
      /** @description Phone JIDs in the order of the list of the same name without Alt */
      JoinAlt: string[];
      Leave: string[];
      /** @description Phone JIDs in the order of the list of the same name without Alt */
      LeaveAlt: string[];
      Promote: string[];
      /** @description Phone JIDs in the order of the list of the same name without Alt */
      PromoteAlt: string[];
      Demote: string[];
      /** @description Phone JIDs in the order of the list of the same name without Alt */
      DemoteAlt: string[];
      MembershipRequestsCreated: string[];
      /** @description Phone JIDs in the order of the list of the same name without Alt */
      MembershipRequestsCreatedAlt: string[];
      MembershipRequestsRevoked: string[];
      /** @description Phone JIDs in the order of the list of the same name without Alt */
      MembershipRequestsRevokedAlt: string[];
      MembershipRequestMethod: string;
      UnknownChanges: {
       Tag: string;
       Attrs: {
        [key: string]: string;
       };
      }[];
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onJoinedGroup: {
  requestBody?: {
   content: {
    "application/json": {
     type: "JoinedGroup";
     event: {
      Reason: string;
      Type: string;
      CreateKey: string;
      /** @description Push name of the sender */
      Notify: string;
      /** @description Who made the change */
      Sender: string;
      /** @description Phone JID of the sender; empty when unknown */
      SenderPN: string;
      JID: string;
      OwnerJID: string;
      OwnerPN: string;
      Name: string;
      /**
       * Format: date-time
       * @description 0001-01-01T00:00:00Z when not set
       */
      NameSetAt: string;
      NameSetBy: string;
      NameSetByPN: string;
      /** @description The description */
      Topic: string;
      TopicID: string;
      /**
       * Format: date-time
       * @description 0001-01-01T00:00:00Z when not set
       */
      TopicSetAt: string;
      TopicSetBy: string;
      TopicSetByPN: string;
      TopicDeleted: boolean;
      /** @description Only admins can change name, picture and description */
      IsLocked: boolean;
      /** @description Only admins can send */
      IsAnnounce: boolean;
      AnnounceVersionID: string;
      IsEphemeral: boolean;
      /** @description Seconds */
      DisappearingTimer: number;
      IsIncognito: boolean;
      /** @description A community */
      IsParent: boolean;
      DefaultMembershipApprovalMode: string;
      /** @description The community that it belongs to */
      LinkedParentJID: string;
      /** @description Announcement group of a community */
      IsDefaultSubGroup: boolean;
      IsJoinApprovalRequired: boolean;
      AddressingMode: string;
      /**
       * Format: date-time
       * @description 0001-01-01T00:00:00Z when not set
       */
      GroupCreated: string;
      ParticipantVersionID: string;
      Participants: components["schemas"]["GroupParticipant"][];
      ParticipantCount: number;
      /** @description admin_add or all_member_add */
      MemberAddMode: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onLabelEdit: {
  requestBody?: {
   content: {
    "application/json": {
     type: "LabelEdit";
     event: {
      LabelID: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onLabelAssociationChat: {
  requestBody?: {
   content: {
    "application/json": {
     type: "LabelAssociationChat";
     event: {
      LabelID: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onLabelAssociationMessage: {
  requestBody?: {
   content: {
    "application/json": {
     type: "LabelAssociationMessage";
     event: {
      LabelID: string;
      /** Format: date-time */
      Timestamp: string;
      Action: {
       [key: string]: unknown;
      };
      FromFullSync: boolean;
      /** @description The chat; can be used as Phone */
      JID: string;
      /** @description The phone JID of a LID; empty when unknown */
      JIDAlt: string;
      MessageID: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onNewsletterJoin: {
  requestBody?: {
   content: {
    "application/json": {
     type: "NewsletterJoin";
     event: components["schemas"]["Newsletter"];
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onNewsletterLeave: {
  requestBody?: {
   content: {
    "application/json": {
     type: "NewsletterLeave";
     event: {
      id: string;
      role: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onNewsletterMuteChange: {
  requestBody?: {
   content: {
    "application/json": {
     type: "NewsletterMuteChange";
     event: {
      id: string;
      mute: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onNewsletterLiveUpdate: {
  requestBody?: {
   content: {
    "application/json": {
     type: "NewsletterLiveUpdate";
     event: {
      JID: string;
      Time: string;
      Messages: components["schemas"]["NewsletterPost"][];
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPresence: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Presence";
     event: {
      /** @description Can be used as Phone in a reply */
      From: string;
      /** @description The other form, phone or LID; empty when unknown */
      FromAlt: string;
      Unavailable: boolean;
      /** @description RFC 3339; empty while online, and if it is hidden */
      LastSeen: string;
     };
     /** @enum {unknown} */
     state?: "online" | "offline";
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onChatPresence: {
  requestBody?: {
   content: {
    "application/json": {
     type: "ChatPresence";
     event: {
      /** @description Can be used as Phone in a reply */
      Chat: string;
      Sender: string;
      /** @description The other form, phone or LID; empty when unknown */
      SenderAlt: string;
      IsFromMe: boolean;
      IsGroup: boolean;
      /** @description composing or paused */
      State: string;
      /** @description audio during a recording */
      Media: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onConnected: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Connected";
     event: {
      JID: string;
      LID: string;
      PushName: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onDisconnected: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Disconnected";
     event: {
      Reason: string;
      Details: string;
      RetryIn?: number;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onConnectFailure: {
  requestBody?: {
   content: {
    "application/json": {
     type: "ConnectFailure";
     event: {
      Reason: string;
      Message: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPairSuccess: {
  requestBody?: {
   content: {
    "application/json": {
     type: "PairSuccess";
     event: {
      ID: string;
      LID: string;
      BusinessName: string;
      Platform: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onQR: {
  requestBody?: {
   content: {
    "application/json": {
     type: "QR";
     event: {
      /** @description Always `code` */
      event: string;
      /** @description The text of the QR code */
      code: string;
      /** @description Milliseconds until the next code replaces it */
      expires: number;
     };
     state?: string;
     /** @description The code as a PNG picture, data URL */
     qrCodeBase64?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onQRTimeout: {
  requestBody?: {
   content: {
    "application/json": {
     type: "QRTimeout";
     event: {
      Details: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPasskeyRequired: {
  requestBody?: {
   content: {
    "application/json": {
     type: "PasskeyRequired";
     event: {
      Details: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPasskeyConfirmation: {
  requestBody?: {
   content: {
    "application/json": {
     type: "PasskeyConfirmation";
     event: {
      /** @description `XXXX-XXXX` */
      Code: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPasskeyFailed: {
  requestBody?: {
   content: {
    "application/json": {
     type: "PasskeyFailed";
     event: {
      Reason: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onLoggedOut: {
  requestBody?: {
   content: {
    "application/json": {
     type: "LoggedOut";
     event: {
      OnConnect: boolean;
      Reason: number;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onPicture: {
  requestBody?: {
   content: {
    "application/json": {
     type: "Picture";
     event: {
      /** @description The person or group; can be used as Phone */
      JID: string;
      /** @description Its other form, phone or LID; empty when unknown */
      JIDAlt: string;
      /** @description Who changed the picture */
      Author: string;
      AuthorAlt: string;
      /** Format: date-time */
      Timestamp: string;
      Remove: boolean;
      /** @description Empty if it was removed */
      PictureID: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
 onNotifyAccountReachoutTimelock: {
  requestBody?: {
   content: {
    "application/json": {
     type: "NotifyAccountReachoutTimelock";
     event: {
      IsActive: boolean;
      TimeEnforcementEnds: string | null;
      EnforcementType: string;
     };
     state?: string;
     /** @description The same on every attempt */
     eventId: string;
     instanceName?: string;
     userID?: string;
     jid?: string;
     /** Format: date-time */
     timestamp?: string;
    };
   };
  };
  responses: {
   "2XX": {
    content?: never;
   };
  };
 };
}

export const SENDS: ReadonlySet<string> = new Set([
  '/bot/message',
  '/business/send/catalog',
  '/message/react',
  '/message/edit',
  '/send/text',
  '/send/image',
  '/send/audio',
  '/send/video',
  '/send/document',
  '/send/sticker',
  '/send/location',
  '/send/contact',
  '/send/poll',
  '/send/mediaurl',
  '/send/preview',
  '/send/preview2',
  '/send/groupinvite',
  '/send/template',
  '/send/buttons',
  '/send/mediabutton',
  '/send/list',
  '/send/locationbutton',
  '/send/carousel',
  '/send/carouselmedia',
  '/send/pixbutton',
  '/send/reviewpay',
  '/status/text',
  '/status/image',
  '/status/video',
])
