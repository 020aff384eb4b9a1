export function StatisticsView() {
  return <p>Statistics</p>;
}
