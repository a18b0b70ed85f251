<?php

declare(strict_types=1);

namespace Wamux\Tests;

use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\Response;
use PHPUnit\Framework\TestCase;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Wamux\Client;
use Wamux\Exception;
use Wamux\WamuxException;

require_once __DIR__ . '/autoload.php';

/** Answers with what it is given, then with success; null is no answer. */
final class Gateway implements ClientInterface
{
    /** @var list<RequestInterface> */
    public array $asked = [];

    /** @param list<?ResponseInterface> $answers */
    public function __construct(private array $answers = [])
    {
    }

    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        $this->asked[] = $request;
        // As a real client does.
        $request->getBody()->getContents();
        $answer = $this->answers === [] ? self::answer(200, ['data' => ['Id' => 'x'], 'success' => true]) : array_shift($this->answers);

        return $answer ?? throw new class ('refused') extends \RuntimeException implements ClientExceptionInterface {
        };
    }

    public static function answer(int $status, array $body, array $headers = []): ResponseInterface
    {
        return new Response($status, ['content-type' => 'application/json; charset=utf-8', ...$headers], json_encode($body));
    }

    public static function refusal(int $status, string $code, array $headers = []): ResponseInterface
    {
        return self::answer($status, ['code' => $status, 'error' => "no $code", 'errorCode' => $code, 'success' => false], $headers);
    }

    public function client(int $retries = 3): Client
    {
        return new Client('http://gateway/', $this, new HttpFactory(), token: 'secret', retries: $retries);
    }
}

final class CallsTest extends TestCase
{
    /** @return array{string, Gateway} */
    private function tried(\Closure $call, ?ResponseInterface ...$answers): array
    {
        $gateway = new Gateway($answers);
        try {
            $call($gateway->client());
        } catch (WamuxException $error) {
            return [$error->errorCode, $gateway];
        }

        return ['done', $gateway];
    }

    private static function send(Client $wamux): void
    {
        $wamux->sendText(Phone: '1', Body: 'é');
    }

    public function testRepeatsASendUnderOneKey(): void
    {
        [$code, $gateway] = $this->tried(self::send(...), null, new Response(502, [], '<html>'), Gateway::refusal(504, 'NETWORK_SILENT'));
        $keys = array_map(static fn (RequestInterface $one): string => $one->getHeaderLine('idempotency-key'), $gateway->asked);
        self::assertSame(['done', 4, 1], [$code, count($keys), count(array_unique($keys))]);
        self::assertMatchesRegularExpression('/^[0-9a-f]{32}$/', $keys[0]);
        self::assertSame('{"Phone":"1","Body":"é"}', (string) $gateway->asked[3]->getBody());
    }

    public function testNeedsNoKeyForASendWithAnId(): void
    {
        [, $gateway] = $this->tried(static fn (Client $wamux) => $wamux->sendText(Phone: '1', Body: 'x', Id: 'own'));
        self::assertFalse($gateway->asked[0]->hasHeader('idempotency-key'));
    }

    /**
     * @testWith [400, "FIELD_INVALID"]
     *           [429, "QUEUE_FULL"]
     *           [500, "INTERNAL"]
     *           [502, "SEND_FAILED"]
     */
    public function testDoesNotRepeatWhatWouldNotPass(int $status, string $expected): void
    {
        [$code, $gateway] = $this->tried(self::send(...), Gateway::refusal($status, $expected));
        self::assertSame([$expected, 1], [$code, count($gateway->asked)]);
    }

    public function testRepeatsOtherCallsOnlyWhenTold(): void
    {
        $busy = Gateway::refusal(503, 'BUSY');
        [$code, $gateway] = $this->tried(static fn (Client $wamux) => $wamux->chatPin(Chat: '1', Pin: true), $busy);
        self::assertSame(['BUSY', 1], [$code, count($gateway->asked)]);
        [$code, $gateway] = $this->tried(static fn (Client $wamux) => $wamux->chatPin(Chat: '1', Pin: true, retry: true), $busy);
        self::assertSame(['done', 2], [$code, count($gateway->asked)]);
    }

    public function testWaitsAsLongAsTheGatewaySays(): void
    {
        $start = microtime(true);
        $this->tried(self::send(...), Gateway::refusal(503, 'BUSY', ['retry-after' => '1']));
        self::assertGreaterThan(0.99, microtime(true) - $start);
    }

    public function testThrowsErrorsByStatusWithTheirFields(): void
    {
        $limited = Gateway::refusal(429, 'QUEUE_FULL', ['retry-after' => '3', 'x-request-id' => 'r1']);
        try {
            (new Gateway([$limited]))->client()->getSessionStatus();
            self::fail('no refusal');
        } catch (Exception\TooManyRequests $error) {
            $fields = [$error->errorCode, $error->status, $error->getCode(), $error->retryAfter, $error->requestId, $error->getMessage()];
            self::assertSame(['QUEUE_FULL', 429, 429, 3.0, 'r1', 'no QUEUE_FULL'], $fields);
        }
        $this->expectException(Exception\ConnectionFailed::class);
        (new Gateway([null]))->client(retries: 0)->getSessionStatus();
    }

    public function testPutsFieldsWhereTheyBelong(): void
    {
        $gateway = new Gateway();
        $wamux = $gateway->client();
        $wamux->getEvents(after: 5, class: 'Message');
        $wamux->deleteScheduleById(id: 'a/b ?');
        $wamux->sessionUpdate(Labels: []);
        [$first, $second, $third] = $gateway->asked;
        self::assertSame('http://gateway/events?after=5&class=Message', (string) $first->getUri());
        self::assertSame('/schedule/a%2Fb%20%3F', $second->getUri()->getPath());
        self::assertSame('{"Labels":{}}', (string) $third->getBody());
        self::assertSame('secret', $third->getHeaderLine('token'));
    }

    public function testIteratesUntilTheLastPage(): void
    {
        $page = static fn (int $before, string ...$chats): ResponseInterface
            => Gateway::answer(200, ['data' => ['Chats' => $chats, 'Before' => $before], 'success' => true]);
        $gateway = new Gateway([$page(9, 'a', 'b'), $page(4), $page(0, 'c')]);
        self::assertSame(['a', 'b', 'c'], [...$gateway->client()->iterateChats(limit: 2)]);
        $queries = array_map(static fn (RequestInterface $one): string => $one->getUri()->getQuery(), $gateway->asked);
        self::assertSame(['limit=2', 'before=9&limit=2', 'before=4&limit=2'], $queries);
    }

    public function testFollowsEventsFromTheNewestOnAndAfterAFailure(): void
    {
        $events = static fn (int $next, int ...$seqs): ResponseInterface => Gateway::answer(200, [
            'data' => ['Events' => array_map(static fn (int $seq): array => ['seq' => $seq], $seqs), 'Next' => $next],
            'success' => true,
        ]);
        $newest = Gateway::answer(200, ['data' => ['Events' => [['seq' => 7]], 'Before' => 6], 'success' => true]);
        $dropped = Gateway::refusal(410, 'EVENTS_DROPPED');
        $gateway = new Gateway([$newest, $events(9, 8, 9), null, $events(9), $events(10, 10), $dropped]);
        $seen = [];
        try {
            foreach ($gateway->client()->events(classes: ['Message']) as $seq => $event) {
                $seen[] = $seq;
            }
        } catch (Exception\Gone $error) {
            self::assertSame('EVENTS_DROPPED', $error->errorCode);
        }
        self::assertSame([8, 9, 10], $seen);
        parse_str($gateway->asked[2]->getUri()->getQuery(), $query);
        self::assertSame(['after' => '9', 'class' => 'Message', 'wait' => '25'], $query);
        self::assertCount(6, $gateway->asked);
    }
}
