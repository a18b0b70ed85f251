<?php

declare(strict_types=1);

namespace Wamux\Tests;

use PHPUnit\Framework\TestCase;
use Wamux\SignatureException;
use Wamux\Webhook;

require_once __DIR__ . '/autoload.php';

final class WebhookTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>}> */
    public static function cases(): iterable
    {
        foreach (json_decode((string) file_get_contents(__DIR__ . '/signatures.json'), true) as $case) {
            yield $case['name'] => [$case];
        }
    }

    /** @dataProvider cases */
    public function testSignature(array $case): void
    {
        if (!$case['isRight']) {
            $this->expectException(SignatureException::class);
        }
        $event = (new Webhook($case['secret']))->verify($case['body'], $case['headers'], $case['now']);
        self::assertSame(json_decode($case['body'], true), $event);
    }

    public function testTakesTheHeadersOfPsr7(): void
    {
        $case = [...self::cases()]['right'][0];
        $headers = array_map(static fn (string $value): array => [$value], $case['headers']);
        $event = (new Webhook($case['secret']))->verify($case['body'], $headers, $case['now']);
        self::assertSame('evt_1', $event['eventId']);
    }

    public function testUsesTheClock(): void
    {
        $case = [...self::cases()]['right'][0];
        $this->expectExceptionMessage('too old');
        (new Webhook($case['secret']))->verify($case['body'], $case['headers']);
    }

    /**
     * @testWith [""]
     *           ["whsec_"]
     *           ["whsec_no base64!"]
     */
    public function testRefusesAMissingSecret(string $secret): void
    {
        $this->expectException(\InvalidArgumentException::class);
        new Webhook($secret);
    }
}
