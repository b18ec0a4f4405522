import { TestGateway } from './test-gateway.ts';

test('a gateway that still waits for the bus can be stopped', async () => {
  const gateway = new TestGateway();
  gateway.bus.away = true;
  await gateway.start();
  await gateway.stop();
  await expect(gateway.service?.ready).rejects.toThrow('the bus is closed');
});
